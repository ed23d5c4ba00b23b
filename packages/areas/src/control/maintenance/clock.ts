// Starts and ends occurrences when their time has come. Verdicts follow the times by themselves; this keeps the states,
// takes note of the devices that are online, and tells followers.
import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { recordAsSystem } from '../../platform/audit/index.ts'
import { emitAll, eventOf } from '../../platform/events/index.ts'
import { maintenanceEnded, maintenanceNotReturned, maintenanceStarted } from './maintenance-events.contract.ts'
import { deviceZone, refreshStatuses } from './window.queries.ts'

/** Devices that are offline this long after the end are reported. */
const returnMinutes = 15

export interface Changed {
  readonly id: string
  readonly windowId: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly name: string
}

const changed = sql`o.id, o.window_id, o.partner_id, o.org_id, w.name`
/** The devices of an occurrence `o` of the window `w`. */
const itsDevices = sql`FROM target_sets t CROSS JOIN LATERAL devices_of_targets(t) d
  WHERE t.id = w.target_set_id AND (w.timezone <> 'site' OR o.timezone = ${deviceZone('d', sql`w.fallback_zone`)})`

/** Starts occurrences. @param which a condition on `o` @param endsAt the new end, if another one */
export async function startOccurrences(
  db: Db,
  which: RawBuilder<unknown>,
  endsAt?: RawBuilder<unknown>,
): Promise<Changed[]> {
  const { rows } = await sql<Changed>`
    UPDATE maintenance_occurrences o SET status = 'active', started_at = now(), starts_at = least(o.starts_at, now()), ends_at = ${endsAt ?? sql`o.ends_at`},
      device_count = (SELECT count(*) ${itsDevices}),
      online_at_start = CASE WHEN w.verify_return THEN ARRAY(
        SELECT d.id ${itsDevices} AND EXISTS (
          SELECT FROM device_state s WHERE s.device_id = d.id AND s.status <> 'offline')) END
    FROM maintenance_windows w WHERE w.id = o.window_id AND o.status = 'scheduled' AND ${which}
    RETURNING ${changed}`.execute(db)
  await tell(db, maintenanceStarted, rows)
  return rows
}

/** Ends active occurrences, and those that would have started and ended meanwhile. */
export async function endOccurrences(
  db: Db,
  which: RawBuilder<unknown>,
  by: 'time' | 'person' | 'cancel',
): Promise<Changed[]> {
  const status = by === 'cancel' ? 'cancelled' : 'completed'
  const { rows } = await sql<Changed>`
    UPDATE maintenance_occurrences o SET status = ${status}, ended_by = ${by},
      started_at = coalesce(o.started_at, o.starts_at), ended_at = least(now(), o.ends_at),
      device_count = (SELECT count(*) ${itsDevices})
    FROM maintenance_windows w WHERE w.id = o.window_id AND ${which}
    RETURNING ${changed}`.execute(db)
  await tell(db, maintenanceEnded, rows)
  return rows
}

async function tell(
  db: Db,
  type: typeof maintenanceStarted | typeof maintenanceEnded,
  occurrences: readonly Changed[],
): Promise<void> {
  await emitAll(
    db,
    occurrences.map(({ id, windowId, partnerId, orgId, name }) =>
      eventOf(type, { partnerId, orgId, data: { windowId, occurrenceId: id, name } }),
    ),
  )
  if (occurrences.length > 0) await refreshStatuses(db, [...new Set(occurrences.map(({ windowId }) => windowId))])
}

/** Whether an occurrence starts, ends, or is checked for devices that did not return. */
export async function isClockDue(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'is-maintenance-due',
    text: `SELECT FROM maintenance_occurrences
      WHERE (status = 'scheduled' AND starts_at <= now()) OR (status = 'active' AND ends_at <= now())
        OR (status = 'completed' AND NOT return_checked AND ended_at <= now() - make_interval(mins => ${returnMinutes})) LIMIT 1`,
  })
  return rowCount === 1
}

/** Starts and ends what is due. @param windowId only of this window */
export async function turnClock(db: Db, windowId?: string): Promise<void> {
  const ofWindow = windowId === undefined ? sql`` : sql`AND o.window_id = ${windowId}::uuid`
  const ended = await endOccurrences(
    db,
    sql`o.status IN ('active', 'scheduled') AND o.ends_at <= now() ${ofWindow}`,
    'time',
  )
  const started = await startOccurrences(db, sql`o.starts_at <= now() AND o.ends_at > now() ${ofWindow}`)
  const recordOf = (action: 'maintenance_occurrence.start' | 'maintenance_occurrence.end') => (of: Changed) => ({
    ...{ action, target: of.id, name: of.name, partnerId: of.partnerId, details: { windowId: of.windowId } },
    ...(of.orgId === null ? {} : { orgId: of.orgId }),
  })
  await recordAsSystem(db, [
    ...ended.map(recordOf('maintenance_occurrence.end')),
    ...started.map(recordOf('maintenance_occurrence.start')),
  ])
}

/** Looks for devices that were online at the start and have not returned some minutes after the end. */
export async function checkReturns(db: Db): Promise<void> {
  const { rows } = await sql<Changed & { notReturned: string[] }>`
    UPDATE maintenance_occurrences o SET return_checked = true, online_at_start = NULL,
      not_returned = ARRAY(
        SELECT d.id FROM unnest(o.online_at_start) AS was(id) JOIN devices d ON d.id = was.id AND d.lifecycle = 'active'
        JOIN device_state s ON s.device_id = d.id AND s.status = 'offline')
    FROM maintenance_windows w
    WHERE w.id = o.window_id AND o.status = 'completed' AND NOT o.return_checked
      AND o.ended_at <= now() - make_interval(mins => ${returnMinutes})
    RETURNING ${changed}, o.not_returned`.execute(db)
  await emitAll(
    db,
    rows.flatMap(({ id, windowId, partnerId, orgId, name, notReturned }) =>
      notReturned.length === 0
        ? []
        : [
            eventOf(maintenanceNotReturned, {
              partnerId,
              orgId,
              data: { windowId, occurrenceId: id, name, deviceIds: notReturned },
            }),
          ],
    ),
  )
}
