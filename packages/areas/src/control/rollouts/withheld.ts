import type { Redis } from '@muster/backplane/redis.ts'

const key = 'agent-updates:withheld'
const lastsMs = 30_000

/** Notes that nothing is offered because it could not be decided; holds until a while after the last such turn. */
export async function noteWithheld(redis: Redis): Promise<void> {
  await redis.set(key, '1', 'PX', lastsMs)
}

/** Whether it was so a moment ago. */
export async function isWithheld(redis: Redis): Promise<boolean> {
  return (await redis.exists(key)) === 1
}
