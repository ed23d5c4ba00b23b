// The first proof of a mailbox. Until then anybody may have made the account and given it credentials, so none of them
// outlives the proof: verification, reset and invitation all come through here.

import type { Db } from '@muster/db/database.ts'
import type { Call } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import { clearFactors } from '../factors/clear-factors.ts'
import { membershipsOf } from '../sessions/memberships.queries.ts'
import { revokeSessions } from '../sessions/sessions.queries.ts'
import { withdrawTokens } from './one-time-tokens.ts'

export interface Dropped {
  readonly password: boolean
  readonly method: string | null
  readonly passkeys: number
  readonly sessions: number
  readonly apiKeys: number
}

interface Proving {
  readonly userId: string
  readonly by: 'verification' | 'reset' | 'invitation'
  /** The password was shown together with the proof: it is the registrant's, who reads the mailbox. */
  readonly keepPassword?: boolean
  /** Where the audit record belongs. */
  readonly place?: { readonly partnerId: string | null; readonly orgId: string | null }
}

/**
 * Marks the address of an account as proven. The first time, every credential that was made before stops working.
 * Within the transaction that uses the link up; follow it with `after(() => callersOf(services).clear())`.
 * @returns what was dropped; null when the address was proven before
 */
export async function proveMailbox(
  { services, audit }: Pick<Call, 'services' | 'audit'>,
  db: Db,
  { userId, by, keepPassword = false, place = { partnerId: null, orgId: null } }: Proving,
): Promise<Dropped | null> {
  const account = await db
    .selectFrom('users')
    .select(['email', 'emailVerifiedAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (account.emailVerifiedAt !== null) return null
  const dropped = await dropCredentials(db, userId, keepPassword)
  const emailVerifiedAt = new Date(services.clock.now()).toISOString()
  await db.updateTable('users').set({ emailVerifiedAt }).where('id', '=', userId).execute()
  await withdrawTokens(db, 'verify-email', userId)
  const actor = { type: 'user', id: userId, email: account.email } as const
  audit({
    action: 'user.email.verify',
    target: userId,
    name: account.email,
    ...place,
    details: { by, dropped: { ...dropped } },
    actor,
  })
  return dropped
}

/**
 * What a link does that an administrator in charge of the account was shown, where there is no mail server: the account
 * opens the places that it has now. Its address counts as unproven, also where it was proven before: from now on the
 * administrator may hold the account, and the next mail that its owner opens drops what was made meanwhile.
 * @returns what was dropped; null for an account that was proven or vouched for before, which keeps its second factors
 */
export async function vouch(db: Db, { clock }: Pick<Services, 'clock'>, userId: string): Promise<Dropped | null> {
  const account = await db
    .selectFrom('users')
    .select('emailVerifiedAt')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const memberships = await membershipsOf(db, userId)
  // Only administrators of the installation are in charge of such an account, and they reach every tenant anyway.
  if (memberships.some(({ scope }) => scope === 'system')) return null
  const wasProven = account.emailVerifiedAt !== null
  if (wasProven) await db.updateTable('users').set({ emailVerifiedAt: null }).where('id', '=', userId).execute()
  const vouchedAt = new Date(clock.now()).toISOString()
  const keeps = wasProven || memberships.some(({ vouched }) => vouched)
  const dropped = keeps ? null : await dropCredentials(db, userId, false)
  for (const table of ['partnerUsers', 'organizationUsers'] as const) {
    await db
      .updateTable(table)
      .set({ vouchedAt })
      .where('userId', '=', userId)
      .where('status', '=', 'active')
      .where('vouchedAt', 'is', null)
      .execute()
  }
  return dropped
}

/** Takes every credential from an account: password, second factors, sessions, API keys, and that a place was opened unproven. */
export async function dropCredentials(db: Db, userId: string, keepPassword: boolean): Promise<Dropped> {
  const { method, passkeys } = await clearFactors(db, userId)
  const { numUpdatedRows } = keepPassword
    ? { numUpdatedRows: 0n }
    : await db
        .updateTable('users')
        .set({ passwordHash: null, passwordChangedAt: null })
        .where('id', '=', userId)
        .where('passwordHash', 'is not', null)
        .executeTakeFirst()
  for (const table of ['partnerUsers', 'organizationUsers'] as const) {
    await db
      .updateTable(table)
      .set({ vouchedAt: null })
      .where('userId', '=', userId)
      .where('vouchedAt', 'is not', null)
      .execute()
  }
  const sessions = await revokeSessions(db, userId)
  return { password: numUpdatedRows > 0n, method, passkeys, sessions, apiKeys: await revokeOwnKeys(db, userId) }
}

/** Revokes every API key that a person made, wherever. @returns how many there were */
async function revokeOwnKeys(db: Db, userId: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('apiKeys')
    .set({ revokedAt: new Date().toISOString() })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
