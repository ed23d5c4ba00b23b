import type { Redis } from '@muster/backplane/redis.ts'

const key = 'agent-updates:withheld'
const lastsMs = 30_000

/** Notes that offers are withheld because the rules could not be read. The note expires soon after the last such run. */
export async function noteWithheld(redis: Redis): Promise<void> {
  await redis.set(key, '1', 'PX', lastsMs)
}

/** Whether offers were withheld recently. */
export async function isWithheld(redis: Redis): Promise<boolean> {
  return (await redis.exists(key)) === 1
}
