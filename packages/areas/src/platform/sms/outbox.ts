// SMS that no gateway took, kept for the outbox.
import type { Redis } from '@muster/backplane/redis.ts'

/** The Redis key of messages kept for the outbox. */
export const devSmsKey = 'dev:sms'
const keptMax = 50
const daySeconds = 86_400

export async function keepSms(redis: Redis, to: string, text: string): Promise<void> {
  const entry = JSON.stringify({ to, text, at: new Date().toISOString() })
  await redis
    .multi()
    .lpush(devSmsKey, entry)
    .ltrim(devSmsKey, 0, keptMax - 1)
    .expire(devSmsKey, daySeconds)
    .exec()
}
