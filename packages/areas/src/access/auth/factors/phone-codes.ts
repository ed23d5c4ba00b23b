import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { z } from 'zod'

export const phoneCodeSeconds = 600
const triesMax = 5

const Entry = z.object({ phoneNumber: z.string(), hash: z.string() })

// Six digits are quickly guessed from a hash, so the hash includes the pepper, which is not in Redis.
const hashed = (keyring: Keyring, about: string, code: string) =>
  createHmac('sha256', keyring.pepper).update(`phone code\0${about}\0${code}`).digest('hex')
// Braces keep the code and its count of attempts in one slot of a Redis Cluster.
const keyOf = (about: string) => `phone:code:{${about}}`

/**
 * Creates a code that proves a phone number. It replaces an earlier code.
 * @param about what the code is for: the number of one user, or one sign-in
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

/** Redeems a code. @returns the number that it proves; null for a wrong, used or expired code */
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

export async function recordPhoneConfirmed(redis: Redis, sessionId: string, phoneNumber: string): Promise<void> {
  await redis.set(confirmedKey(sessionId), phoneNumber, 'EX', phoneCodeSeconds)
}

/** Whether this session confirmed the number within the last minutes. */
export const wasPhoneJustConfirmed = async (redis: Redis, sessionId: string, phoneNumber: string): Promise<boolean> =>
  (await redis.get(confirmedKey(sessionId))) === phoneNumber
