// The authenticator, the phone and the recovery codes of an account are one set. The set belongs either to the user, or to the
// identity provider in whose session it was created. In that case it is valid only in sessions of that provider.
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

/** Empties the set of any owner and assigns it to the given provider, or to the user. */
export async function clearFactorSet(db: Db, userId: string, providerId: string | null = null): Promise<void> {
  await db
    .updateTable('users')
    .set({ ...empty, factorsProviderId: providerId })
    .where('id', '=', userId)
    .execute()
}

/**
 * Assigns the set to the provider of the session, or to the user for a session without a provider. A set of another
 * provider is emptied.
 * @returns false in a session of a provider when the user has a set of their own, which that session may not replace
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

/** @throws FORBIDDEN when `claimFactorSet` returns false */
export async function requireFactorSet(db: Db, userId: string, providerId: string | null): Promise<void> {
  if (await claimFactorSet(db, userId, providerId)) return
  throw denied('This account has a second factor of its own. Sign in without single sign-on to change it')
}
