// Who is notified about the alerts of a rule or a policy.
import type { Db } from '@muster/db/database.ts'
import { lockByName } from '@muster/db/lock-by-name.ts'
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { Owner } from '../../../fleet/targets/index.ts'
import type { Call } from '../../../operation.ts'
import { readablePolicies } from './policies-within-reach.ts'

interface Recipients {
  readonly channelIds?: readonly string[] | undefined
  readonly policyId?: string | null | undefined
}

/** A policy is not deleted while a transaction names it. */
export const lockPolicy = (db: Db, id: string, as: 'naming' | 'deleting'): Promise<void> =>
  lockByName(db, `alert policy ${id}`, as === 'naming' ? 'shared' : 'exclusive')

/** @throws VALIDATION_ERROR for channels and policies that the owner does not have or the caller does not see */
export async function requireRecipients(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  given: Recipients,
): Promise<void> {
  const channelIds = [...new Set(given.channelIds ?? [])]
  const policyIds = given.policyId == null ? [] : [given.policyId]
  for (const id of policyIds) await lockPolicy(db, id, 'naming')
  const ofOwner = sql`partner_id = ${owner.partnerId} AND (org_id IS NULL OR org_id = coalesce(${owner.orgId}::uuid, org_id))`
  const { rows } = await sql<{ field: string; id: string }>`
    SELECT 'channelIds' AS field, c.id::text FROM unnest(${channelIds}::uuid[]) AS c(id)
      WHERE NOT EXISTS (SELECT FROM alert_channels l WHERE l.id = c.id AND ${ofOwner})
    UNION ALL SELECT 'policyId', p.id::text FROM unnest(${policyIds}::uuid[]) AS p(id)
      WHERE NOT EXISTS (SELECT FROM alert_policies WHERE alert_policies.id = p.id AND ${ofOwner} AND ${readablePolicies(caller)})`.execute(
    db,
  )
  const [unknown] = rows
  if (unknown !== undefined) throw invalid(`${unknown.field}: ${unknown.id} does not exist`)
}
