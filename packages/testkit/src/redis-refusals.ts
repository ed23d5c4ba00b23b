import { connectRedis, untilReady } from '@muster/backplane/redis.ts'

/**
 * The commands that Redis rejected since it started, as `login: command on object`. A process without a permission
 * keeps running, so tests of whole systems check this list.
 * @param url an operator's login
 */
export async function redisRefusals(url: string): Promise<string[]> {
  const redis = connectRedis(url, 'test-refusals')
  try {
    await untilReady(redis, 5_000)
    const entries: unknown = await redis.call('ACL', 'LOG')
    return Array.isArray(entries) ? entries.map(described) : []
  } finally {
    redis.disconnect()
  }
}

function described(entry: unknown): string {
  const fields = Array.isArray(entry) ? entry : []
  const field = (name: string): unknown => fields[fields.indexOf(name) + 1]
  return `${field('username')}: ${field('reason')} on ${field('object')} (${field('context')})`
}
