import { allOf, anyOf, type Condition, never } from '@muster/db/conditions.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type SqlBool, sql } from 'kysely'
import { isLimited, reachesWholePartner, withinOrOfPartner } from '../../../tenancy/tenancy/index.ts'

/** The ids that the policy matches; none stands for all. */
const listed = (name: 'orgIds' | 'siteIds' | 'groupIds') =>
  sql<SqlBool>`coalesce(alert_policies.match -> ${sql.lit(name)}, '[]')`
const matchesAll = (name: 'orgIds' | 'siteIds' | 'groupIds'): Condition => sql`${listed(name)} = '[]'`

/**
 * Policies of organizations within reach and of the whole partner, as a condition on `alert_policies`. Callers who reach a
 * part of the partner see its policies only if alerts of theirs can match. Members limited to sites or groups see none.
 */
export function readablePolicies(caller: Caller): Condition {
  if (isLimited(caller)) return never
  const rows = withinOrOfPartner(caller, 'alertPolicies.orgId', 'alertPolicies.partnerId')
  if (reachesWholePartner(caller)) return rows
  const orgIds = sql`${[...(caller.accessibleOrgIds ?? [])]}::uuid[]`
  return allOf(
    rows,
    anyOf(
      sql`alert_policies.org_id IS NOT NULL`,
      allOf(
        anyOf(matchesAll('orgIds'), sql`${listed('orgIds')} ?| (${orgIds})::text[]`),
        anyOf(
          matchesAll('siteIds'),
          sql`EXISTS (SELECT FROM sites s WHERE s.org_id = ANY (${orgIds}) AND ${listed('siteIds')} ? s.id::text)`,
        ),
        anyOf(
          matchesAll('groupIds'),
          sql`EXISTS (SELECT FROM device_groups g WHERE coalesce(g.org_id = ANY (${orgIds}), true) AND ${listed('groupIds')} ? g.id::text)`,
        ),
      ),
    ),
  )
}
