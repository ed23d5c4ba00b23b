import { randomUUID } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { lockMs } from '../limits.ts'

const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/**
 * Runs work in one worker at a time; does nothing while another worker runs it. The lock saves work and does not protect data:
 * it expires after `lockMs`, so the work must be safe to run twice.
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
