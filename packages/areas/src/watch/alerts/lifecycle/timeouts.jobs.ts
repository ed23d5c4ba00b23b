// What happens to open alerts without a request: times run out, causes of suppressions end, devices leave.
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { heldBack } from '../../../control/maintenance/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { explainingRules, followDependencies, openStatuses, releaseDependencies } from './dependencies.ts'
import { flappingMinutes } from './flapping.ts'
import { countSuppressed, windowsOver } from './maintenance.ts'
import { activate, noted } from './noted.ts'
import type { StoredAlert } from './stored-alert.ts'

/** Alerts per transaction. */
const alertsAtOnce = 1_000
/** What still holds so long after a window becomes active. */
const releaseSeconds = 120

/** Suppressions and acknowledgments whose time is over. */
async function endTimes(db: Db): Promise<PartnerEvent[]> {
  const { rows } = await sql<StoredAlert>`UPDATE alerts SET ${activate} WHERE id IN (
      SELECT id FROM alerts WHERE status IN ('suppressed', 'acknowledged')
        AND coalesce(CASE WHEN status = 'suppressed' THEN suppressed_until ELSE acknowledged_until END <= now(), false)
      ORDER BY id LIMIT ${alertsAtOnce} FOR UPDATE SKIP LOCKED)
    RETURNING *`.execute(db)
  return noted(db, rows, 'activated', 'reopened', 'The time is over and the condition is still true')
}

/** Active alerts of devices in a maintenance window are suppressed. What holds some time after the window is active again. */
async function followWindows(db: Db): Promise<PartnerEvent[]> {
  const isHeld = heldBack('alerts')
  const { rows: active } = await sql<{
    id: string
    deviceId: string
  }>`SELECT a.id, a.device_id FROM alerts a JOIN devices ON devices.id = a.device_id
    WHERE a.status = 'active' AND ${isHeld} ORDER BY a.id LIMIT ${alertsAtOnce} FOR UPDATE OF a SKIP LOCKED`.execute(db)
  const windows = await windowsOver(
    db,
    active.map(({ deviceId }) => deviceId),
  )
  const held = active.filter(({ deviceId }) => windows.has(deviceId))
  const windowIds = held.map(({ deviceId }) => windows.get(deviceId)?.windowId ?? null)
  const { rows: suppressed } =
    await sql<StoredAlert>`UPDATE alerts a SET status = 'suppressed', suppression_kind = 'maintenance',
      suppression_id = u.window_id, suppression_reason = 'The device is in maintenance', released_at = NULL, last_changed_at = now()
    FROM unnest(${held.map(({ id }) => id)}::uuid[], ${windowIds}::uuid[]) AS u(id, window_id) WHERE a.id = u.id RETURNING a.*`.execute(
      db,
    )
  await countSuppressed(db, windowIds)
  await sql`UPDATE alerts SET released_at = CASE WHEN ${isHeld} THEN NULL ELSE now() END FROM devices
    WHERE devices.id = alerts.device_id AND alerts.status = 'suppressed' AND alerts.suppression_kind = 'maintenance'
      AND (alerts.released_at IS NULL) <> ${isHeld}`.execute(db)
  const { rows: released } =
    await sql<StoredAlert>`UPDATE alerts SET context = context || jsonb_build_object('afterWindow', suppression_id),
      ${activate} WHERE id IN (
      SELECT id FROM alerts WHERE status = 'suppressed' AND suppression_kind = 'maintenance'
        AND released_at < now() - make_interval(secs => ${releaseSeconds})
      ORDER BY id LIMIT ${alertsAtOnce} FOR UPDATE SKIP LOCKED)
    RETURNING *`.execute(db)
  return [
    ...(await noted(db, suppressed, 'suppressed', 'suppressed', 'The device is in maintenance')),
    ...(await noted(db, released, 'activated', 'reopened', 'The window has ended and the condition is still true')),
  ]
}

/** Alerts of devices that were decommissioned, deleted or moved to another organization. */
async function endRemoved(db: Db): Promise<PartnerEvent[]> {
  const { rows } =
    await sql<StoredAlert>`UPDATE alerts a SET status = 'resolved', resolution = 'device_removed', resolved_at = now(),
      holds = false, suppression_kind = NULL, suppression_id = NULL, suppression_reason = NULL, suppressed_until = NULL,
      last_changed_at = now()
    WHERE a.id IN (SELECT o.id FROM alerts o LEFT JOIN devices d ON d.id = o.device_id
      WHERE o.status <> 'resolved' AND CASE WHEN o.device_id IS NULL THEN o.context ? 'hostname'
        ELSE d.lifecycle = 'decommissioned' OR d.org_id <> o.org_id END
      ORDER BY o.id LIMIT ${alertsAtOnce} FOR UPDATE OF o SKIP LOCKED)
    RETURNING a.*`.execute(db)
  return noted(db, rows, 'resolved', 'resolved', 'The device left')
}

/** Alerts that have been stable for a while. */
async function endFlapping(db: Db): Promise<PartnerEvent[]> {
  await sql`UPDATE alerts SET flapping = false WHERE flapping AND status <> 'resolved'
    AND last_changed_at < now() - make_interval(mins => ${flappingMinutes})`.execute(db)
  return []
}

/** What becomes active may have another reason to be silent. Both are one transaction, so that no message leaves in between. */
const activating = (step: (db: Db) => Promise<PartnerEvent[]>) => async (db: Db) => [
  ...(await step(db)),
  ...(await followWindows(db)),
  ...(await followDependencies(db)),
]

const steps = {
  endTimes: activating(endTimes),
  followWindows: activating(followWindows),
  followDependencies,
  releaseDependencies: activating(releaseDependencies),
  endRemoved,
  endFlapping,
}

/** Devices that changed within this time are compared with their alerts each second, all devices by the sweep. */
const lookBackSeconds = 90
const sweepMs = 60_000

const isOver = `CASE WHEN status = 'suppressed' THEN suppressed_until ELSE acknowledged_until END <= now()`

/** Which steps may have something to do. One statement, because most looks find nothing. Each part has its index. */
const lookForSteps = {
  name: 'look-for-alert-times',
  text: `SELECT
      EXISTS (SELECT FROM alerts WHERE status IN ('suppressed', 'acknowledged') AND ${isOver}) AS "endTimes",
      EXISTS (SELECT FROM alerts WHERE status = 'suppressed' AND suppression_kind = 'maintenance')
        OR (EXISTS (SELECT FROM maintenance_occurrences WHERE status = 'active' AND ends_at > now())
          OR EXISTS (SELECT FROM maintenance_occurrences WHERE status = 'scheduled' AND starts_at <= now() AND ends_at > now()))
        AND EXISTS (SELECT FROM alerts WHERE status = 'active') AS "followWindows",
      EXISTS (SELECT FROM (${explainingRules}) r(id) CROSS JOIN LATERAL (
        SELECT FROM alerts a WHERE a.rule_id = r.id AND a.status IN (${openStatuses}) AND a.holds LIMIT 1) a) AS "followDependencies",
      EXISTS (SELECT FROM alerts WHERE status = 'suppressed' AND suppression_kind = 'dependency') AS "releaseDependencies",
      EXISTS (SELECT FROM alerts WHERE device_id IS NULL AND status <> 'resolved' AND context ? 'hostname')
        OR EXISTS (SELECT FROM devices d JOIN alerts o ON o.device_id = d.id
          WHERE d.updated_at > now() - interval '${lookBackSeconds} seconds' AND o.status <> 'resolved'
            AND (d.lifecycle = 'decommissioned' OR d.org_id <> o.org_id)) AS "endRemoved",
      EXISTS (SELECT FROM alerts WHERE flapping AND status <> 'resolved'
        AND last_changed_at < now() - make_interval(mins => ${flappingMinutes})) AS "endFlapping"`,
}

/** Runs every step in a transaction of its own. @returns live events to publish */
export async function followTimes(pool: pg.Pool): Promise<PartnerEvent[]> {
  const { rows } = await pool.query<Record<keyof typeof steps, boolean>>(lookForSteps)
  const events: PartnerEvent[] = []
  for (const name of Object.keys(steps).filter(isStep))
    if (rows[0]?.[name] === true) events.push(...(await asSystem(pool, steps[name])))
  return events
}

const isStep = (name: string): name is keyof typeof steps => name in steps

export const alertSweep = every(sweepMs, 'alert-sweep', async ({ pool, publish }: WorkerParts) => {
  await publish(await asSystem(pool, endRemoved))
})

export const alertTimes = every(1_000, 'alert-times', async (parts: WorkerParts) => {
  await parts.publish(await followTimes(parts.pool))
})
