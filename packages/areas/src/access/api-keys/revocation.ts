import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

/** One membership of a user, from which the user's keys get their permissions. */
export interface KeysOf {
  readonly userId: string
  readonly partnerId: string
  /** Null for a partner member, who may have keys for its organizations as well. */
  readonly orgId: string | null
}

/**
 * Revokes the keys that a user created under a membership, except those for an organization in which the user has another
 * membership. Call it in the transaction of the change, then clear the cache of callers after the commit.
 * @returns how many were revoked
 */
export async function revokeKeys(db: Db, { userId, partnerId, orgId }: KeysOf): Promise<number> {
  const place =
    orgId === null
      ? sql`k.partner_id = ${partnerId} AND NOT EXISTS (
          SELECT FROM organization_users m WHERE m.user_id = k.user_id AND m.org_id = k.org_id)`
      : sql`k.org_id = ${orgId} AND NOT EXISTS (
          SELECT FROM partner_users m WHERE m.user_id = k.user_id AND m.partner_id = k.partner_id)`
  const { numAffectedRows } = await sql`UPDATE api_keys k SET revoked_at = now()
    WHERE k.user_id = ${userId} AND k.revoked_at IS NULL AND ${place}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
