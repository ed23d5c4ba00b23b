import { randomUUID } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { lockMs } from './limits.ts'

const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/**
 * Runs work that one worker at a time should do; does nothing when another is at it. The lock saves work, it does not
 * guard data: it runs out after `lockMs`, so whatever runs under it must be harmless twice.
 */
export async function exclusively(redis: Redis, name: string, work: () => Promise<unknown>): Promise<boolean> {
  const key = `lock:${name}`
  const token = randomUUID()
  if ((await redis.set(key, token, 'PX', lockMs, 'NX')) === null) return false
  try {
    await work()
  } finally {
    await redis.eval(release, 1, key, token)
  }
  return true
}
