// The devices of a bulk request: included, not excluded, and matching the filter.
import { AppError } from '@muster/kit/errors.ts'
import { type Expression, type SqlBool, sql } from 'kysely'
import { conditionOf } from '../../../fleet/devices/index.ts'
import { namesNothing, type Places, type Targets } from '../../../fleet/targets/targets.contract.ts'
import type { Call } from '../../../operation.ts'
import { requireOrganizationsInReach } from '../../../tenancy/tenancy/index.ts'
import { bulkDevicesMax } from '../commands.contract.ts'
import { type Target, targetsWhere } from '../commands.queries.ts'

export interface Selection {
  readonly targets: readonly Target[]
  /** Named devices that the caller does not see. */
  readonly unseen: readonly string[]
}

/**
 * The devices that a request means.
 * @throws FORBIDDEN for an organization out of reach, PAYLOAD_TOO_LARGE for more devices than one request may reach
 */
export async function selectTargets(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { filter, exclude, ...include }: Targets & { exclude: Places },
): Promise<Selection> {
  await requireOrganizationsInReach(db, caller, include.orgIds ?? [])
  const named = include.deviceIds ?? []
  const conditions = [
    // Named devices are listed one by one; of groups and places only active devices are targeted.
    sql<SqlBool>`(${anyOf({ deviceIds: named })} OR devices.lifecycle = 'active')`,
    ...(namesNothing(include) ? [] : [anyOf(include)]),
    ...(namesNothing(exclude) ? [] : [sql<SqlBool>`NOT (${anyOf(exclude)})`]),
    ...(filter === undefined
      ? []
      : [await conditionOf(db, filter, { partnerId: caller.partnerId, orgId: caller.orgId })]),
  ]
  const condition = sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
  const targets = await targetsWhere(db, caller, condition, bulkDevicesMax + 1)
  if (targets.length > bulkDevicesMax)
    throw new AppError('PAYLOAD_TOO_LARGE', `One request reaches at most ${bulkDevicesMax} devices`)
  return { targets, unseen: await unseenOf(db, caller, named, targets) }
}

/** Named devices that the caller does not see. Devices that a filter or an exclusion leaves out do not count. */
async function unseenOf(
  db: Call['db'],
  caller: Call['caller'],
  named: readonly string[],
  targets: readonly Target[],
): Promise<string[]> {
  const found = new Set(targets.map(({ id }) => id))
  const missing = [...new Set(named)].filter((id) => !found.has(id))
  if (missing.length === 0) return []
  const seen = await targetsWhere(db, caller, anyOf({ deviceIds: missing }), missing.length)
  const left = new Set(seen.map(({ id }) => id))
  return missing.filter((id) => !left.has(id))
}

function anyOf({ deviceIds = [], groupIds = [], orgIds = [], siteIds = [], tags = [] }: Places): Expression<SqlBool> {
  const conditions = [
    ...(deviceIds.length > 0 ? [sql<SqlBool>`devices.id = ANY (${[...deviceIds]}::uuid[])`] : []),
    ...(orgIds.length > 0 ? [sql<SqlBool>`devices.org_id = ANY (${[...orgIds]}::uuid[])`] : []),
    ...(siteIds.length > 0 ? [sql<SqlBool>`devices.site_id = ANY (${[...siteIds]}::uuid[])`] : []),
    ...(tags.length > 0 ? [sql<SqlBool>`devices.tags && ${[...tags]}::text[]`] : []),
    ...(groupIds.length > 0
      ? [
          sql<SqlBool>`devices.id IN (SELECT m.device_id FROM device_group_members m WHERE m.group_id = ANY (${[...groupIds]}::uuid[]))`,
        ]
      : []),
  ]
  return conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`
}
