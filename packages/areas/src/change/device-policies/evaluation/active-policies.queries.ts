import { always, type Condition } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { Rules } from '../rules/rules.contract.ts'
import { Settings } from '../settings/settings.contract.ts'
import type { ActivePolicy } from './plan.ts'

/** The active policies of partners. @param among those among which to look, as a condition on `devicePolicies` */
export async function activePolicies(
  db: Db,
  partnerIds: readonly string[],
  among: Condition = always,
): Promise<ActivePolicy[]> {
  const rows = await db
    .selectFrom('devicePolicies')
    .innerJoin('targetSets as t', 't.id', 'devicePolicies.targetSetId')
    .select([
      'devicePolicies.id',
      'devicePolicies.partnerId',
      'devicePolicies.orgId',
      'devicePolicies.name',
      'devicePolicies.mode',
      'devicePolicies.priority',
      'devicePolicies.createdAt',
      'devicePolicies.osTypes',
      'devicePolicies.rules',
      'devicePolicies.settings',
      'devicePolicies.targetSetId',
      't.everything',
      't.deviceIds',
      't.groupIds',
      't.siteIds',
      't.orgIds',
      't.excludeDeviceIds',
      't.excludeGroupIds',
      't.excludeSiteIds',
      't.excludeOrgIds',
    ])
    .select(sql<boolean>`t.filter IS NOT NULL`.as('isFiltered'))
    .select(
      sql<Record<string, string>>`(SELECT coalesce(jsonb_object_agg(f.rule_key, f.target_set_id), '{}')
        FROM device_policy_filters f WHERE f.policy_id = device_policies.id)`.as('ruleFilters'),
    )
    .where(sql<boolean>`device_policies.partner_id = ANY (${[...partnerIds]}::uuid[])`)
    .where('devicePolicies.status', '=', 'active')
    .where('devicePolicies.deletedAt', 'is', null)
    .where(among)
    .orderBy('devicePolicies.id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    partnerId: row.partnerId,
    orgId: row.orgId,
    name: row.name,
    mode: row.mode,
    priority: row.priority,
    createdAt: row.createdAt,
    osTypes: row.osTypes,
    rules: Rules.parse(row.rules),
    settings: Settings.parse(row.settings),
    everywhere: row.everything,
    assigned: {
      deviceIds: new Set(row.deviceIds),
      groupIds: new Set(row.groupIds),
      siteIds: new Set(row.siteIds),
      orgIds: new Set(row.orgIds),
    },
    excluded: {
      deviceIds: new Set(row.excludeDeviceIds),
      groupIds: new Set(row.excludeGroupIds),
      siteIds: new Set(row.excludeSiteIds),
      orgIds: new Set(row.excludeOrgIds),
    },
    filterSetId: row.isFiltered ? row.targetSetId : null,
    ruleFilters: new Map(Object.entries(row.ruleFilters)),
  }))
}

interface Mark {
  readonly partnerId: string
  readonly mark: string
}

/** Changes when an active policy of the partner does. Partners without any are left out. */
export async function policyMarks(db: Db, partnerIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<Mark>`
    SELECT p.partner_id, count(*) || ' ' || sum(hashtext(p.id::text || ' ' || p.revision)::bigint) AS mark
    FROM device_policies p
    WHERE p.partner_id = ANY (${[...partnerIds]}::uuid[]) AND p.status = 'active' AND p.deleted_at IS NULL
    GROUP BY p.partner_id`.execute(db)
  return new Map(rows.map(({ partnerId, mark }) => [partnerId, mark]))
}
