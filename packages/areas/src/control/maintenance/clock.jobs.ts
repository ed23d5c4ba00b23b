import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../background/job.ts'
import { checkReturns, isClockDue, turnClock } from './clock.ts'
import { type ScheduledWindow, storeOccurrences, zonesOf } from './schedule.ts'

const clockMs = 1_000
const scheduleMs = 60_000

export const maintenanceClock = every(clockMs, 'maintenance-clock', async ({ pool }) => {
  if (!(await isClockDue(pool))) return
  await asSystem(pool, async (db) => {
    await turnClock(db)
    await checkReturns(db)
  })
})

/** Stores the occurrences of one more day, once a day, and those of zones into which devices have come. */
export async function extendSchedules(pool: pg.Pool, nowMs: number): Promise<number> {
  const { rows } = await pool.query<ScheduledWindow & { zones: string[]; isDue: boolean }>(
    `SELECT id, partner_id AS "partnerId", org_id AS "orgId", starts_at AS "startsAt", timezone,
       duration_minutes AS "durationMinutes", rrule, ex_dates AS "exDates", begun_at AS "begunAt", fallback_zone AS "fallbackZone",
       target_set_id AS "targetSetId", zones, scheduled_until < to_timestamp($1 / 1000.0) + interval '365 days' AS "isDue"
     FROM maintenance_windows WHERE status IN ('scheduled', 'active')
       AND (timezone = 'site' OR scheduled_until < to_timestamp($1 / 1000.0) + interval '365 days')`,
    [nowMs],
  )
  let extended = 0
  for (const window of rows)
    extended += await asSystem(pool, async (db) => {
      const zones = window.isDue ? [] : await zonesOf(db, window.targetSetId, window.timezone, window.fallbackZone)
      if (!window.isDue && zones.join() === window.zones.join()) return 0
      // A person may change the window at the same time.
      const { rows: locked } = await sql`SELECT FROM maintenance_windows WHERE id = ${window.id}::uuid
        AND status IN ('scheduled', 'active') AND starts_at = ${window.startsAt} AND rrule IS NOT DISTINCT FROM ${window.rrule}
        AND timezone = ${window.timezone} FOR UPDATE`.execute(db)
      if (locked.length === 0) return 0
      await storeOccurrences(db, window, nowMs)
      return 1
    })
  return extended
}

export const maintenanceSchedule = every(scheduleMs, 'maintenance-schedule', ({ pool }) =>
  extendSchedules(pool, Date.now()),
)
