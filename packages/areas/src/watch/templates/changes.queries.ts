// What changed on devices shortly before their alerts, if it changed there far more often than elsewhere.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { visibleDevices } from '../../fleet/devices/index.ts'
import type { Change, Correlated } from './correlate.ts'

/** A change counts for alerts that open at most this long after it. */
export const changeMinutes = 60
/** How many times as often devices with alerts have the change as all devices. */
const liftMin = 5
const changesMax = 10_000

interface Found {
  readonly deviceId: string
  readonly key: string
  readonly name: string
  readonly atMs: number
}

/** Changes of software, drivers and updates, of agents, and commands to many devices. `at` is a range of times. */
const changesSql = sql`
  SELECT l.device_id, l.org_id, l.at, 'inventory ' || l.section || ' ' || l.action || ' ' || l.name || coalesce(' ' || (l.after ->> 'version'), '') AS key,
    l.name || coalesce(' ' || (l.after ->> 'version'), '') || ' was ' || l.action AS name
  FROM device_inventory_log l WHERE l.section IN ('software', 'drivers', 'updates')
  UNION ALL
  SELECT c.device_id, c.org_id, coalesce(c.finished_at, c.sent_at), 'command ' || c.batch_id, 'the command ' || c.type || ' was run'
  FROM device_commands c WHERE c.batch_id IS NOT NULL AND c.status IN ('completed', 'failed', 'timed_out')
  UNION ALL
  SELECT u.device_id, u.org_id, u.reported_at, 'agent ' || u.version, 'the agent was updated to ' || u.version
  FROM device_updates u WHERE u.state IN ('confirmed', 'rolled_back')`

/** By alert: the changes that probably have to do with it. */
export async function changesBefore(
  db: Db,
  caller: Caller,
  alerts: readonly Correlated[],
): Promise<ReadonlyMap<string, readonly Change[]>> {
  const about = alerts.flatMap(({ deviceId, orgId, openedMs }) =>
    deviceId === null ? [] : [{ deviceId, orgId, openedMs }],
  )
  if (new Set(about.map(({ deviceId }) => deviceId)).size < 2) return new Map()
  const fromMs = Math.min(...about.map(({ openedMs }) => openedMs)) - changeMinutes * 60_000
  const toMs = Math.max(...about.map(({ openedMs }) => openedMs))
  const between = sql`to_timestamp(${fromMs}::float8 / 1000) AND to_timestamp(${toMs}::float8 / 1000)`
  const { rows } =
    await sql<Found>`SELECT g.device_id, g.key, g.name, (extract(epoch FROM g.at) * 1000)::float8 AS at_ms
    FROM (${changesSql}) g WHERE g.device_id = ANY (${[...new Set(about.map(({ deviceId }) => deviceId))]}::uuid[])
      AND g.at BETWEEN ${between} ORDER BY g.at DESC LIMIT ${changesMax}`.execute(db)
  const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
  const before = new Map(
    alerts.map((alert) => [
      alert.id,
      (byDevice.get(alert.deviceId ?? '') ?? []).filter(
        ({ atMs }) => atMs <= alert.openedMs && atMs >= alert.openedMs - changeMinutes * 60_000,
      ),
    ]),
  )
  const lifts = await liftsOf(db, caller, alerts, before, between)
  return new Map(
    [...before].map(([alertId, found]) => {
      const orgId = alerts.find(({ id }) => id === alertId)?.orgId
      return [
        alertId,
        found.flatMap(({ key, name }): Change[] => {
          const lift = lifts.get(`${orgId} ${key}`) ?? 0
          return lift >= liftMin ? [{ key, name, lift: Math.round(lift * 10) / 10 }] : []
        }),
      ]
    }),
  )
}

/** By organization and change: its share among the devices with alerts, divided by its share among all devices. */
async function liftsOf(
  db: Db,
  caller: Caller,
  alerts: readonly Correlated[],
  before: ReadonlyMap<string, readonly Found[]>,
  between: ReturnType<typeof sql>,
): Promise<ReadonlyMap<string, number>> {
  const alerted = new Map<string, Set<string>>()
  const changed = new Map<string, Set<string>>()
  const noted = (sets: Map<string, Set<string>>, name: string, deviceId: string) => {
    const own = sets.get(name) ?? new Set()
    sets.set(name, own.add(deviceId))
  }
  for (const { id, orgId, deviceId } of alerts) {
    if (deviceId === null) continue
    noted(alerted, orgId, deviceId)
    for (const { key } of before.get(id) ?? []) noted(changed, `${orgId} ${key}`, deviceId)
  }
  const orgIds = [...alerted.keys()]
  const shared = [
    ...new Set([...changed].flatMap(([name, { size }]) => (size < 2 ? [] : [name.slice(name.indexOf(' ') + 1)]))),
  ]
  if (shared.length === 0) return new Map()
  const [{ rows: totals }, { rows: counts }] = await Promise.all([
    sql<{ orgId: string; devices: number }>`SELECT devices.org_id, count(*)::int AS devices FROM devices
      WHERE devices.org_id = ANY (${orgIds}::uuid[]) AND devices.lifecycle <> 'decommissioned' AND ${visibleDevices(caller)} GROUP BY devices.org_id`.execute(
      db,
    ),
    sql<{
      orgId: string
      key: string
      devices: number
    }>`SELECT g.org_id, g.key, count(DISTINCT g.device_id)::int AS devices
      FROM (${changesSql}) g JOIN devices ON devices.id = g.device_id
      WHERE g.org_id = ANY (${orgIds}::uuid[]) AND g.at BETWEEN ${between} AND g.key = ANY (${shared}::text[]) AND ${visibleDevices(caller)}
      GROUP BY g.org_id, g.key`.execute(db),
  ])
  const totalOf = new Map(totals.map(({ orgId, devices }) => [orgId, devices]))
  return new Map(
    counts.map(({ orgId, key, devices }) => {
      const name = `${orgId} ${key}`
      const amongAlerted = (changed.get(name)?.size ?? 0) / (alerted.get(orgId)?.size ?? 1)
      return [name, amongAlerted / (devices / Math.max(devices, totalOf.get(orgId) ?? devices))]
    }),
  )
}
