// How many devices target sets contain. One set has up to all devices of a partner, so its lists are constants of the query:
// empty ones cost nothing, and the planner chooses between the indexes and one scan.
import { allOf, always, anyOf, type Condition, equals, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { visibleDevices } from '../devices/index.ts'

type StoredSet = Selectable<Tables['targetSets']>
type Lists = Readonly<Record<'deviceIds' | 'groupIds' | 'orgIds' | 'siteIds' | 'tags', readonly string[]>>

/** Null: the lists are empty. */
function isNamedBy({ deviceIds, groupIds, orgIds, siteIds, tags }: Lists): Condition | null {
  const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`
  const named = [
    ...(deviceIds.length === 0 ? [] : [sql<SqlBool>`devices.id = ANY (${uuids(deviceIds)})`]),
    ...(siteIds.length === 0 ? [] : [sql<SqlBool>`devices.site_id = ANY (${uuids(siteIds)})`]),
    ...(orgIds.length === 0 ? [] : [sql<SqlBool>`devices.org_id = ANY (${uuids(orgIds)})`]),
    ...(tags.length === 0 ? [] : [sql<SqlBool>`devices.tags && ${[...tags]}::text[]`]),
    ...(groupIds.length === 0
      ? []
      : [
          sql<SqlBool>`devices.id IN (SELECT m.device_id FROM device_group_members m WHERE m.group_id = ANY (${uuids(groupIds)}))`,
        ]),
  ]
  return named.length === 0 ? null : anyOf(...named)
}

/** The same rule as `inTargets`. */
function isInSet(set: StoredSet): Condition {
  const excluded = isNamedBy({
    deviceIds: set.excludeDeviceIds,
    groupIds: set.excludeGroupIds,
    orgIds: set.excludeOrgIds,
    siteIds: set.excludeSiteIds,
    tags: set.excludeTags,
  })
  return allOf(
    equals('devices.partnerId', set.partnerId),
    set.orgId === null ? always : equals('devices.orgId', set.orgId),
    sql<SqlBool>`devices.lifecycle <> 'decommissioned'`,
    set.everything ? always : (isNamedBy(set) ?? sql<SqlBool>`false`),
    set.filter === null
      ? always
      : sql<SqlBool>`EXISTS (SELECT FROM target_filter_members matching WHERE matching.set_id = ${set.id}::uuid AND matching.device_id = devices.id)`,
    excluded === null ? always : sql<SqlBool>`(${excluded}) IS NOT TRUE`,
  )
}

/** Whether a saved set contains the device, as a condition on `devices`. */
export async function isInSavedSet(db: Db, setId: string): Promise<Condition> {
  return isInSet(await db.selectFrom('targetSets').selectAll().where('id', '=', setId).executeTakeFirstOrThrow())
}

/** By site; null for devices without one. */
export type CountsBySite = ReadonlyMap<string | null, number>

/** How many devices that the caller sees each set contains. Sets that say the same are counted once. */
export async function countsBySite(
  db: Db,
  caller: Caller,
  setIds: readonly string[],
): Promise<Map<string, CountsBySite>> {
  const sets = await db.selectFrom('targetSets').selectAll().where(isOneOf('id', setIds)).execute()
  const alike = Map.groupBy(sets, ({ id: _, ...says }) => JSON.stringify(says))
  const counted = await Promise.all(
    [...alike.values()].map(async (same) => {
      const [set] = same
      if (set === undefined) return []
      const rows = await db
        .selectFrom('devices')
        .select(['devices.siteId', ({ fn }) => fn.countAll<number>().as('count')])
        .where(visibleDevices(caller))
        .where(isInSet(set))
        .groupBy('devices.siteId')
        .execute()
      const bySite = new Map(rows.map(({ siteId, count }) => [siteId, Number(count)]))
      return same.map(({ id }) => [id, bySite] as const)
    }),
  )
  return new Map(counted.flat())
}
