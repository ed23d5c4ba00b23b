import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import { z } from 'zod'

export const phoneCodeSeconds = 600
const triesMax = 5

const Entry = z.object({ phoneNumber: z.string(), hash: z.string() })

// Six digits can be tried in a second, so what is stored is worth nothing without the pepper.
const hashed = (keyring: Keyring, about: string, code: string) =>
  createHmac('sha256', keyring.pepper).update(`phone code\0${about}\0${code}`).digest('hex')
// Braces keep the code and the count of its tries in one slot of a cluster.
const keyOf = (about: string) => `phone:code:{${about}}`

/**
 * Makes a code that proves a phone, replacing an earlier one.
 * @param about what it is good for: one person's number, or one sign-in
 */
export async function newPhoneCode(redis: Redis, keyring: Keyring, about: string, phoneNumber: string) {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const entry = { phoneNumber, hash: hashed(keyring, about, code) }
  await redis
    .multi()
    .set(keyOf(about), JSON.stringify(entry), 'EX', phoneCodeSeconds)
    .del(`${keyOf(about)}:tries`)
    .exec()
  return code
}

/** Uses a code up. @returns the number that it proves; null for a wrong, used or expired code */
export async function usePhoneCode(
  redis: Redis,
  keyring: Keyring,
  about: string,
  code: string,
): Promise<string | null> {
  const key = keyOf(about)
  const stored = await redis.get(key)
  if (stored === null) return null
  const { phoneNumber, hash } = Entry.parse(JSON.parse(stored))
  if (!timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(hashed(keyring, about, code), 'hex'))) {
    const tries = await redis.incr(`${key}:tries`)
    await redis.expire(`${key}:tries`, phoneCodeSeconds)
    if (tries >= triesMax) await redis.del(key)
    return null
  }
  return (await redis.del(key)) === 1 ? phoneNumber : null
}

const confirmedKey = (sessionId: string) => `phone:confirmed:${sessionId}`

export async function notePhoneConfirmed(redis: Redis, sessionId: string, phoneNumber: string): Promise<void> {
  await redis.set(confirmedKey(sessionId), phoneNumber, 'EX', phoneCodeSeconds)
}

/** Did this very session confirm the number within the last minutes? */
export const wasPhoneJustConfirmed = async (redis: Redis, sessionId: string, phoneNumber: string): Promise<boolean> =>
  (await redis.get(confirmedKey(sessionId))) === phoneNumber
