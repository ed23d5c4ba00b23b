import { connectRedis, connectSubscriber, type Redis, type Subscriber, untilReady } from '@muster/backplane/redis.ts'

/** The connections of this process to Redis, one per purpose, so that none blocks another. */
export interface RedisLinks {
  appends: Redis
  commands: Redis
  reader: Redis
  subscriber: Subscriber
}

const readyMs = 10_000

export function createRedisLinks(url: string, nodeId: string): RedisLinks {
  return {
    appends: connectRedis(url, `${nodeId}-appends`, 'appends'),
    commands: connectRedis(url, `${nodeId}-commands`, 'commands'),
    reader: connectRedis(url, `${nodeId}-orders`, 'blocking'),
    subscriber: connectSubscriber(url, `${nodeId}-changes`),
  }
}

export async function untilLinked(links: RedisLinks): Promise<void> {
  await Promise.all(Object.values(links).map((link: Redis) => untilReady(link, readyMs)))
}

export function unlink(links: RedisLinks): void {
  for (const link of Object.values(links)) link.disconnect()
}
