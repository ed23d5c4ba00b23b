// Enrollment of a second factor: the pending secret, and the changes when it is confirmed.

import type { Redis } from '@muster/backplane/redis.ts'
import type { Db } from '@muster/db/database.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import { revokeSessions } from '../sessions/sessions.queries.ts'
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { accessTokenSeconds, accessTokensOf } from '../sessions/tokens.ts'
import { requireFactorSet } from './factor-set.ts'
import type { Enrolled } from './mfa.contract.ts'
import { storedCodes } from './recovery-codes.ts'

export const pendingSeconds = 600

const Pending = z.object({ secret: z.string(), recoveryCodes: z.array(z.string()) })
export type Pending = z.infer<typeof Pending>

const keyOf = (userId: string) => `mfa:pending:${userId}`
const contextOf = (userId: string) => `pending enrolment of ${userId}`

export async function storePending(redis: Redis, keyring: Keyring, userId: string, pending: Pending): Promise<void> {
  await redis.set(keyOf(userId), seal(keyring, JSON.stringify(pending), contextOf(userId)), 'EX', pendingSeconds)
}
export async function findPending(redis: Redis, keyring: Keyring, userId: string): Promise<Pending | null> {
  const sealed = await redis.get(keyOf(userId))
  return sealed === null ? null : Pending.parse(JSON.parse(unseal(keyring, sealed, contextOf(userId))))
}
export const dropPending = (redis: Redis, userId: string) => redis.del(keyOf(userId))

interface Factor {
  readonly mfaMethod: 'totp' | 'sms'
  readonly mfaSecret: string | null
  readonly mfaLastStep: number | null
}

/** Stores the factor with new recovery codes. Ends the other sessions, which were opened without the factor. */
export async function storeFactor(
  db: Db,
  services: Services,
  who: SignedInUser,
  factor: Factor,
  recoveryCodes: readonly string[],
  hasPassed: boolean,
): Promise<void> {
  await requireFactorSet(db, who.userId, who.providerId ?? null)
  await db
    .updateTable('users')
    .set({ ...factor, mfaEnabled: true, mfaRecoveryCodes: storedCodes(services.keyring, who.userId, recoveryCodes) })
    .where('id', '=', who.userId)
    .execute()
  if (hasPassed) await markMfaPassed(db, who.sessionId)
  await revokeSessions(db, who.userId, who.sessionId)
}

/** Records that the session passed a second factor. Its age does not change, because the password was not entered again. */
export async function markMfaPassed(db: Db, sessionId: string): Promise<void> {
  await db.updateTable('sessions').set({ mfa: true }).where('id', '=', sessionId).execute()
}

/** The response to a completed enrollment, with an access token that carries the second factor. */
export async function enrolled(
  services: Services,
  who: SignedInUser,
  recoveryCodes: readonly string[],
  mfa: boolean,
): Promise<Enrolled> {
  const accessToken = await accessTokensOf(services).sign({ ...who, mfa })
  return { mfaEnabled: true, recoveryCodes: [...recoveryCodes], accessToken, expiresIn: accessTokenSeconds }
}
