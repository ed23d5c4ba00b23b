// The first proof of a mailbox. Before it, any person may have created the account and its credentials, so the first proof
// removes them. Verification, password reset and invitation all use these functions.

import type { Db } from '@muster/db/database.ts'
import type { Call } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import { clearFactors } from '../factors/clear-factors.ts'
import { membershipsOf } from '../sessions/memberships.queries.ts'
import { revokeOwnKeys, revokeSessions } from '../sessions/sessions.queries.ts'
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
  /** The password was entered together with the proof, so it belongs to the owner of the mailbox and stays. */
  readonly keepPassword?: boolean
  /** The tenant of the audit record. */
  readonly place?: { readonly partnerId: string | null; readonly orgId: string | null }
}

/**
 * Marks the address of an account as proven. The first time, all credentials that were set before are removed.
 * Call it in the transaction that redeems the link, then clear the cache of callers after the commit.
 * @returns what was removed; null when the address was proven before
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
 * Applies a link that an administrator was shown because there is no mail server. The account can access its current
 * tenants. Its address becomes unproven, even if it was proven: the administrator may hold the account, so the next mailed
 * link that its owner opens removes the credentials set meanwhile.
 * @returns what was removed; null for an account that was proven or vouched for before, which keeps its second factors
 */
export async function vouch(db: Db, { clock }: Pick<Services, 'clock'>, userId: string): Promise<Dropped | null> {
  const account = await db
    .selectFrom('users')
    .select('emailVerifiedAt')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const memberships = await membershipsOf(db, userId)
  // Only system administrators manage such an account, and they reach all tenants anyway.
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

/** Removes all credentials of an account: password, second factors, sessions, API keys and access granted without a proof. */
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
