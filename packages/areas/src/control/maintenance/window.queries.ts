import { allOf, anyOf, type Condition, equals, isNull, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { visibleDevices } from '../../fleet/devices/index.ts'
import { countsBySite, inTargets, withTargetsWithinReach } from '../../fleet/targets/index.ts'

/** The zone of a device: that of its site, else the given one. */
export const deviceZone = (device: string, fallback: RawBuilder<unknown>): RawBuilder<string> =>
  sql`coalesce((SELECT s.timezone FROM sites s WHERE s.id = ${sql.ref(`${device}.site_id`)}), ${fallback})`

/** Windows and occurrences within the caller's reach. */
export const readable = (caller: Caller): Condition =>
  withTargetsWithinReach(caller, { org: 'w.orgId', partner: 'w.partnerId', targetSet: 'w.targetSetId' })

/** Whether an occurrence `o` is in effect, even if its status does not say so yet. */
export const isInEffect = sql<SqlBool>`((o.status = 'active' OR o.status = 'scheduled' AND o.starts_at <= now()) AND o.ends_at > now())`

/** Windows `w` that target a visible device with this condition. */
export const targetsDevice = (caller: Caller, condition: Condition): Condition =>
  sql`EXISTS (SELECT FROM devices, target_sets t
    WHERE t.id = w.target_set_id AND ${condition} AND ${visibleDevices(caller)} AND ${inTargets('t', 'devices')})`

export interface Asked {
  readonly orgId?: string | undefined
  readonly siteId?: string | undefined
  readonly deviceId?: string | undefined
}

/** What the lists of windows and occurrences have in common: a query over windows as `w`. */
export const asked = (caller: Caller, { orgId, siteId, deviceId }: Asked): Condition =>
  allOf(
    readable(caller),
    ...(orgId === undefined ? [] : [anyOf(isNull('w.orgId'), equals('w.orgId', orgId))]),
    ...(siteId === undefined ? [] : [targetsDevice(caller, equals('devices.siteId', siteId))]),
    ...(deviceId === undefined ? [] : [targetsDevice(caller, equals('devices.id', deviceId))]),
  )

/** How many devices that the caller sees each set contains, by zone. */
export async function countsByZone(
  db: Db,
  caller: Caller,
  setIds: readonly string[],
): Promise<Map<string, ReadonlyMap<string, number>>> {
  const [bySite, { rows: windows }] = await Promise.all([
    countsBySite(db, caller, setIds),
    sql<{ id: string; zone: string }>`SELECT w.target_set_id AS id, w.fallback_zone AS zone FROM maintenance_windows w
      WHERE w.target_set_id = ANY (${[...setIds]}::uuid[])`.execute(db),
  ])
  const siteIds = new Set([...bySite.values()].flatMap((counts) => [...counts.keys()].filter((id) => id !== null)))
  const sites = await db
    .selectFrom('sites')
    .select(['id', 'timezone'])
    .where(isOneOf('id', [...siteIds]))
    .execute()
  const zoneOf = new Map(sites.map(({ id, timezone }) => [id, timezone]))
  return new Map(
    windows.map(({ id, zone: fallback }) => {
      const counts = new Map<string, number>()
      for (const [siteId, count] of bySite.get(id) ?? []) {
        const zone = (siteId === null ? null : zoneOf.get(siteId)) ?? fallback
        counts.set(zone, (counts.get(zone) ?? 0) + count)
      }
      return [id, counts]
    }),
  )
}

export const total = (counts: ReadonlyMap<string, number> | undefined): number =>
  [...(counts?.values() ?? [])].reduce((sum, count) => sum + count, 0)

/** Brings the status of windows in line with their occurrences. A canceled window stays canceled. */
export async function refreshStatuses(db: Db, windowIds: readonly string[]): Promise<void> {
  await sql`
    UPDATE maintenance_windows w SET status = now_is.status
    FROM (SELECT v.id, CASE
        WHEN bool_or(o.status = 'active') THEN 'active'
        WHEN bool_or(o.status = 'scheduled') OR v.continues THEN 'scheduled'
        ELSE 'completed' END AS status
      FROM maintenance_windows v LEFT JOIN maintenance_occurrences o ON o.window_id = v.id
      WHERE v.id = ANY (${[...windowIds]}::uuid[]) GROUP BY v.id) now_is
    WHERE w.id = now_is.id AND w.status <> 'cancelled' AND w.status <> now_is.status`.execute(db)
}

export type WindowRow = Awaited<ReturnType<typeof windowRow>>
export const windowRow = (db: Db, caller: Caller, id: string) =>
  db
    .selectFrom('maintenanceWindows as w')
    .selectAll('w')
    .where('w.id', '=', id)
    .where(readable(caller))
    .executeTakeFirst()
