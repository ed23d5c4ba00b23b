import { randomUUID } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { lockMs } from '../limits.ts'

/** Takes a lock that is free or ours, or renews it. It is still ours when Redis was away at its release. */
const take = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`
const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/** The name of each worker in its locks. */
const holders = new WeakMap<Redis, string>()

function holderOf(redis: Redis): string {
  const known = holders.get(redis) ?? randomUUID()
  holders.set(redis, known)
  return known
}

/**
 * Runs work in one worker at a time; does nothing while another worker runs it. A worker runs work of one name once at a time.
 * The lock saves work and does not protect data: it may expire while its worker is suspended, so the work must be safe to run
 * twice.
 */
export async function exclusively(redis: Redis, name: string, work: () => Promise<unknown>): Promise<boolean> {
  const key = `lock:${name}`
  const holder = holderOf(redis)
  const hold = () => redis.eval(take, 1, key, holder, lockMs)
  if ((await hold()) === 0) return false
  const renewal = setInterval(() => void hold().catch(() => undefined), lockMs / 3)
  try {
    await work()
  } finally {
    clearInterval(renewal)
    await redis.eval(release, 1, key, holder)
  }
  return true
}
