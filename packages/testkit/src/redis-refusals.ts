import { connectRedis, untilReady } from '@muster/backplane/redis.ts'

/**
 * What Redis refused its logins since it started, as `login: command on object`: a process whose login lacks a right goes on
 * and works less well, so tests of whole systems look here.
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
