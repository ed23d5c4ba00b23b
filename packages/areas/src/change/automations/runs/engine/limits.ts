// What keeps automations from starting each other without end, and from starting too often.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { RunRefusal } from './limits.rules.ts'

/** Half a minute less than an hour, so that a schedule of each minute stays at 60 although its runs start with some delay. */
const hourSeconds = 3_570

/** Why an automation started too often lately; null if it did not. Runs that it skipped count for nothing. */
export async function tooOften(
  db: Db,
  { automationId, maxRunsPerHour, deviceIds }: Started,
): Promise<Extract<RunRefusal, 'too_many_runs' | 'device_loop'> | null> {
  const { rows } = await sql<{ runs: number; isLoop: boolean }>`SELECT
      (SELECT count(*)::int FROM (SELECT FROM automation_runs r WHERE r.automation_id = a.id AND NOT r.dry_run
        AND r.started_at > greatest(now() - make_interval(secs => ${hourSeconds}), a.counted_from) LIMIT ${maxRunsPerHour}) AS runs) AS runs,
      EXISTS (SELECT FROM automation_run_devices d JOIN automation_runs r ON r.id = d.run_id AND r.triggered_by IN ('event', 'webhook')
        WHERE d.automation_id = a.id AND d.device_id = ANY (${[...deviceIds]}::uuid[])
          AND d.started_at > greatest(now() - make_interval(mins => ${loop.minutes}), a.counted_from)
        GROUP BY d.device_id HAVING count(*) >= ${loop.runs}) AS is_loop
    FROM automations a WHERE a.id = ${automationId}::uuid`.execute(db)
  const [found] = rows
  if (found === undefined) return null
  if (found.isLoop) return 'device_loop'
  return found.runs >= maxRunsPerHour ? 'too_many_runs' : null
}

/** So many runs that events or webhooks started for one device are a loop. */
const loop = { runs: 10, minutes: 10 } as const

interface Started {
  readonly automationId: string
  readonly maxRunsPerHour: number
  readonly deviceIds: readonly string[]
}

/** What other runs of an automation mean for one that is about to start. */
export interface Others {
  /** One with the same devices is open, or is queued before it. */
  readonly isOpen: boolean
  /** One with the same devices started within the cooldown. */
  readonly isCooling: boolean
}

export async function otherRuns(
  db: Db,
  run: {
    readonly id: string
    readonly automationId: string
    readonly createdAt: string
    readonly reason: string | null
  },
  deviceIds: readonly string[],
  cooldownSeconds: number,
): Promise<Others> {
  const shares = sql`(${deviceIds.length === 0} OR EXISTS (
    SELECT FROM automation_run_devices d WHERE d.run_id = r.id AND d.device_id = ANY (${[...deviceIds]}::uuid[])))`
  const { rows } = await sql<Others>`SELECT
      EXISTS (SELECT FROM automation_runs r WHERE r.automation_id = ${run.automationId}::uuid AND r.id <> ${run.id}::uuid
        AND NOT r.dry_run AND (r.status = 'running' AND ${shares}
          OR r.status = 'queued' AND r.reason = 'waiting' AND (r.created_at, r.id) < (${run.createdAt}::timestamptz, ${run.id}::uuid))) AS is_open,
      ${cooldownSeconds > 0} AND EXISTS (SELECT FROM automation_runs r WHERE r.automation_id = ${run.automationId}::uuid
        AND r.id <> ${run.id}::uuid AND NOT r.dry_run AND r.started_at > now() - make_interval(secs => ${cooldownSeconds}) AND ${shares}) AS is_cooling`.execute(
    db,
  )
  return rows[0] ?? { isOpen: false, isCooling: false }
}
