// The authenticator, the phone and the recovery codes of an account are one set. It belongs to the person, or to the identity
// provider in whose session it was made, and then counts in sessions of that provider alone.
import type { Db } from '@muster/db/database.ts'
import { denied } from '@muster/kit/errors.ts'

const empty = {
  mfaEnabled: false,
  mfaMethod: null,
  mfaSecret: null,
  mfaLastStep: null,
  mfaRecoveryCodes: '[]',
  phoneNumber: null,
  phoneVerified: false,
} as const

/** Empties the set, whoever it belongs to. */
export async function clearFactorSet(db: Db, userId: string, providerId: string | null = null): Promise<void> {
  await db
    .updateTable('users')
    .set({ ...empty, factorsProviderId: providerId })
    .where('id', '=', userId)
    .execute()
}

/**
 * Makes the set one that a session of this provider, or without one a session of the person's own, may write. A set of
 * another provider is emptied for it.
 * @returns false in a provider's session when the person has a set of its own, which that session may not replace
 */
export async function claimFactorSet(db: Db, userId: string, providerId: string | null): Promise<boolean> {
  const set = await db
    .selectFrom('users')
    .select(['factorsProviderId', 'mfaEnabled', 'phoneVerified', 'mfaRecoveryCodes'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (set.factorsProviderId === providerId) return true
  const isOwn = set.factorsProviderId === null
  if (isOwn && (set.mfaEnabled || set.phoneVerified || set.mfaRecoveryCodes.length > 0)) return false
  await clearFactorSet(db, userId, providerId)
  return true
}

/** @throws FORBIDDEN where `claimFactorSet` says false */
export async function requireFactorSet(db: Db, userId: string, providerId: string | null): Promise<void> {
  if (await claimFactorSet(db, userId, providerId)) return
  throw denied('This account has a second factor of its own. Sign in without single sign-on to change it')
}
