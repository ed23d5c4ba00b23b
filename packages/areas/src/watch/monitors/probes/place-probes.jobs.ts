// Gives monitors their probes: connected agents of the site, else of the organization. One that is lost is replaced.
import { asSystem, type Db, readAsSystem } from '@muster/db/database.ts'
import { capabilityNames } from '@muster/wire/capabilities.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { judgeAlerts } from '../alerts/judge-alerts.ts'
import { changeStatuses, type StatusChange } from '../checks/change-status.ts'
import type { StoredMonitor } from '../monitor.queries.ts'
import { assignMonitors, lockOrganizations } from './assign-monitors.ts'
import { type Candidate, chooseProbes } from './choose.rules.ts'

const everyMs = 1_500
const sweepMs = 60_000
/** Devices that changed within this time are looked at again. What is older was looked at, or is left to the sweep. */
const lookBackSeconds = 90
const monitorsAtOnce = 1_000
/** Of each place, at most so many devices are compared. */
const comparedMax = 100

/** Devices `d` with the state `s` that can check now. Agents say that they follow checks by a capability. */
const isAble = sql.raw(`d.lifecycle = 'active' AND s.status = 'online'
  AND substr(d.capabilities, ${capabilityNames.indexOf('run_check') + 1}, 1) = '+'`)

interface Wanting {
  readonly id: string
  readonly orgId: string
  readonly siteId: string | null
  readonly deviceId: string | null
  readonly wanted: number
  readonly assigned: string[]
  readonly current: string[]
  readonly unable: string[]
  readonly status: string
  readonly statusReason: string | null
}

const columns =
  sql.raw(`m.id, m.org_id, m.site_id, m.device_id, m.status, m.status_reason, CASE WHEN m.device_id IS NULL THEN m.probes ELSE 1 END AS wanted,
  coalesce(p.assigned, '{}') AS assigned, coalesce(p.current, '{}') AS current, coalesce(p.unable, '{}') AS unable`)

/** Enabled monitors that have not as many probes at their site as they want, or probes that are gone. */
async function wantingMonitors(db: Db, ids: readonly string[] | null): Promise<Wanting[]> {
  const ofThese = ids === null ? sql`` : sql`AND m.id = ANY (${[...ids]}::uuid[])`
  const { rows } = await sql<Wanting>`SELECT ${columns} FROM monitors m
    JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL AND o.status IN ('active', 'trial')
    CROSS JOIN LATERAL (
      SELECT array_agg(p.device_id) FILTER (WHERE p.unable_until IS NULL) AS assigned,
        array_agg(p.device_id) FILTER (WHERE p.unable_until IS NULL AND d.org_id = p.org_id AND ${isAble}) AS current,
        array_agg(p.device_id) FILTER (WHERE p.unable_until IS NOT NULL) AS unable,
        count(*) FILTER (WHERE p.unable_until IS NULL AND d.org_id = p.org_id AND ${isAble}
          AND (m.site_id IS NULL OR m.site_id = d.site_id) AND (m.device_id IS NULL OR m.device_id = d.id)) AS near
      FROM monitor_probes p JOIN devices d ON d.id = p.device_id JOIN device_state s ON s.device_id = p.device_id
      WHERE p.monitor_id = m.id) p
    WHERE m.enabled ${ofThese} AND (p.near <> CASE WHEN m.device_id IS NULL THEN m.probes ELSE 1 END
      OR coalesce(cardinality(p.assigned), 0) <> p.near
      OR (m.status = 'unknown' AND m.status_reason = 'no_probe'))
    LIMIT ${monitorsAtOnce}`.execute(db)
  return rows
}

/** Monitors whose probes may have to change. Most looks find none. */
const findChanged = {
  name: 'find-monitors-to-place',
  text: `SELECT id FROM (
      SELECT id FROM monitors WHERE wants_probes
      UNION SELECT p.monitor_id FROM device_state s JOIN monitor_probes p ON p.device_id = s.device_id
        WHERE s.status = 'offline' AND s.status_at > now() - interval '${lookBackSeconds} seconds'
      UNION SELECT p.monitor_id FROM devices d JOIN monitor_probes p ON p.device_id = d.id
        WHERE d.updated_at > now() - interval '${lookBackSeconds} seconds') m
    ORDER BY random() LIMIT ${monitorsAtOnce}`,
}

/** Of these, the monitors that want other probes. The others are not looked at again until something changes. */
const stillWanting = (pool: pg.Pool, ids: readonly string[]): Promise<Wanting[]> =>
  asSystem(pool, async (db) => {
    // A change that is under way makes the monitor wanting again.
    const { rows: locked } = await sql<{ id: string }>`SELECT id FROM monitors WHERE id = ANY (${[...ids]}::uuid[])
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`.execute(db)
    const examined = locked.map(({ id }) => id)
    const wanting = await wantingMonitors(db, examined)
    await sql`UPDATE monitors SET wants_probes = NOT wants_probes WHERE id = ANY (${examined}::uuid[])
      AND wants_probes <> (id = ANY (${wanting.map(({ id }) => id)}::uuid[]))`.execute(db)
    return wanting
  })

interface Place {
  readonly orgId: string
  readonly siteId: string | null
}

/** The least busy devices of each place that can check now. */
async function candidatesOf(db: Db, places: readonly Place[]): Promise<(Candidate & Place)[]> {
  const { rows } = await sql<Candidate & Place>`SELECT DISTINCT ON (c.id) c.*, u.org_id
    FROM unnest(${places.map(({ orgId }) => orgId)}::uuid[], ${places.map(({ siteId }) => siteId)}::uuid[]) AS u(org_id, site_id)
    CROSS JOIN LATERAL (
      SELECT d.id, d.site_id, (SELECT count(*)::int FROM monitor_probes b WHERE b.device_id = d.id) AS load
      FROM devices d JOIN device_state s ON s.device_id = d.id
      WHERE d.org_id = u.org_id AND (u.site_id IS NULL OR d.site_id = u.site_id) AND ${isAble}
      LIMIT ${comparedMax}) c
    ORDER BY c.id`.execute(db)
  return rows
}

/** Pinned devices that can check now. */
async function pinnedAble(db: Db, wanting: readonly Wanting[]): Promise<Set<string>> {
  const ids = wanting.flatMap(({ deviceId }) => deviceId ?? [])
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{
    id: string
    orgId: string
  }>`SELECT d.id, d.org_id FROM devices d JOIN device_state s ON s.device_id = d.id
    WHERE d.id = ANY (${ids}::uuid[]) AND ${isAble}`.execute(db)
  return new Set(rows.map(({ id, orgId }) => `${orgId} ${id}`))
}

interface Placed {
  readonly monitor: Wanting
  readonly probes: readonly string[]
}

/** The probes of each monitor, where they differ from those that it has. */
async function placed(db: Db, wanting: readonly Wanting[]): Promise<Placed[]> {
  const places = new Map<string, Place>()
  for (const { orgId, siteId, deviceId } of wanting) {
    if (deviceId !== null) continue
    places.set(`${orgId} ${siteId}`, { orgId, siteId })
    places.set(`${orgId} null`, { orgId, siteId: null })
  }
  const [found, pinned] = await Promise.all([candidatesOf(db, [...places.values()]), pinnedAble(db, wanting)])
  const byOrg = Map.groupBy(found, ({ orgId }) => orgId)
  return wanting.flatMap((monitor) => {
    const { orgId, deviceId, assigned, current } = monitor
    const candidates = byOrg.get(orgId) ?? []
    const known = new Set(candidates.map(({ id }) => id))
    // A current probe that was not among the compared ones still counts.
    const others = current.filter((id) => !known.has(id)).map((id): Candidate => ({ id, siteId: null, load: 0 }))
    const probes =
      deviceId === null
        ? chooseProbes(monitor, [...candidates, ...others])
        : pinned.has(`${orgId} ${deviceId}`)
          ? [deviceId]
          : []
    const isSame = probes.length === assigned.length && probes.every((id) => assigned.includes(id))
    const isTold = (monitor.status === 'unknown' && monitor.statusReason === 'no_probe') === (probes.length === 0)
    return isSame && (isTold || monitor.unable.length > 0) ? [] : [{ monitor, probes }]
  })
}

async function apply(db: Db, changes: readonly Placed[]): Promise<PartnerEvent[]> {
  await lockOrganizations(
    db,
    changes.map(({ monitor }) => monitor.orgId),
  )
  const { rows: monitors } = await sql<StoredMonitor>`SELECT * FROM monitors
    WHERE id = ANY (${changes.map(({ monitor }) => monitor.id)}::uuid[]) AND enabled ORDER BY id FOR NO KEY UPDATE`.execute(
    db,
  )
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]))
  const kept = changes.filter(({ monitor }) => byId.has(monitor.id))
  const pairs = kept.flatMap(({ monitor, probes }) => probes.map((deviceId) => ({ id: monitor.id, deviceId })))
  const { rows: gone } = await sql<{ deviceId: string }>`DELETE FROM monitor_probes p
    WHERE p.monitor_id = ANY (${kept.map(({ monitor }) => monitor.id)}::uuid[]) AND p.unable_until IS NULL
      AND NOT EXISTS (SELECT FROM unnest(${pairs.map(({ id }) => id)}::uuid[], ${pairs.map(({ deviceId }) => deviceId)}::uuid[])
        AS u(monitor_id, device_id) WHERE u.monitor_id = p.monitor_id AND u.device_id = p.device_id)
    RETURNING device_id`.execute(db)
  const { rows: added } = await sql<{
    deviceId: string
  }>`INSERT INTO monitor_probes (monitor_id, device_id, partner_id, org_id)
    SELECT m.id, u.device_id, m.partner_id, m.org_id
    FROM unnest(${pairs.map(({ id }) => id)}::uuid[], ${pairs.map(({ deviceId }) => deviceId)}::uuid[]) AS u(monitor_id, device_id)
    JOIN monitors m ON m.id = u.monitor_id ON CONFLICT DO NOTHING RETURNING device_id`.execute(db)
  await assignMonitors(
    db,
    [...gone, ...added].map(({ deviceId }) => deviceId),
  )
  const changed = kept.flatMap(({ monitor, probes }): (StatusChange & { monitor: StoredMonitor })[] => {
    const stored = byId.get(monitor.id)
    if (stored === undefined) return []
    const reason = reasonFor(monitor, probes, stored)
    if (reason === null || (stored.status === 'unknown' && stored.statusReason === reason)) return []
    return [{ monitor: stored, status: 'unknown', reason }]
  })
  await changeStatuses(db, changed)
  return judgeAlerts(
    db,
    changed.map((each) => ({ ...each, observed: [] })),
  )
}

/** Why the status is unknown; null if the probes decide. */
function reasonFor({ unable }: Wanting, probes: readonly string[], stored: StoredMonitor): string | null {
  if (probes.length > 0) return stored.status === 'unknown' && stored.statusReason === 'no_probe' ? 'not_checked' : null
  if (unable.length === 0) return 'no_probe'
  return stored.status === 'unknown' && stored.statusReason !== 'not_checked' ? stored.statusReason : 'no_probe'
}

/** @returns how many monitors got other probes */
export async function placeProbes({ pool, publish }: Pick<WorkerParts, 'pool' | 'publish'>): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(findChanged)
  if (rows.length === 0) return 0
  const wanting = await stillWanting(
    pool,
    rows.map(({ id }) => id),
  )
  const changes = wanting.length === 0 ? [] : await readAsSystem(pool, (db) => placed(db, wanting))
  if (changes.length === 0) return 0
  await publish(await asSystem(pool, (db) => apply(db, changes)))
  return changes.length
}

/** Finds what nothing announced: organizations that are active again, agents that learned to check. */
export async function sweepMonitors(pool: pg.Pool): Promise<void> {
  await asSystem(pool, async (db) => {
    const wanting = await wantingMonitors(db, null)
    await sql`UPDATE monitors SET wants_probes = true WHERE id = ANY (${wanting.map(({ id }) => id)}::uuid[]) AND NOT wants_probes`.execute(
      db,
    )
  })
}

/** Lets devices that could not do a check try again. Monitors are locked first, as where observations are stored. */
async function forgetUnable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-unable-probes',
    text: 'SELECT DISTINCT monitor_id AS id FROM monitor_probes WHERE unable_until < now()',
  })
  if (rows.length === 0) return
  await asSystem(pool, async (db) => {
    const ids = rows.map(({ id }) => id)
    await sql`SELECT FROM monitors WHERE id = ANY (${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`.execute(db)
    await sql`DELETE FROM monitor_probes WHERE monitor_id = ANY (${ids}::uuid[]) AND unable_until < now()`.execute(db)
  })
}

export const monitorProbes = every(everyMs, 'monitor-probes', async (parts) => {
  await forgetUnable(parts.pool)
  await placeProbes(parts)
})
export const monitorSweep = every(sweepMs, 'monitor-sweep', ({ pool }) => sweepMonitors(pool))
