// The ends of what steps wait for. They are stored by transactions that must not wait for a run, and taken up here.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

/** How a request or a command of a step ended. */
export interface Report {
  readonly partnerId: string
  readonly orgId: string | null
  readonly runId: string
  readonly step: number
  readonly deviceId: string | null
  readonly attempt: number
  /** Null for a success. */
  readonly error: string | null
}

const errorMax = 1_000
const takenMax = 500

/** Notes ends in the transaction that stores them. */
export async function reportEnds(db: Db, reports: readonly Report[]): Promise<void> {
  if (reports.length === 0) return
  const column = <Key extends keyof Report>(key: Key) => reports.map((report) => report[key])
  const errors = reports.map(({ error }) => error?.slice(0, errorMax) ?? null)
  await sql`INSERT INTO automation_reports (partner_id, org_id, run_id, step, device_id, attempt, error)
    SELECT * FROM unnest(${column('partnerId')}::uuid[], ${column('orgId')}::uuid[], ${column('runId')}::uuid[],
      ${column('step')}::int[], ${column('deviceId')}::uuid[], ${column('attempt')}::int[], ${errors}::text[])`.execute(
    db,
  )
}

/** Hands reported ends to their tasks, and makes the runs due. @returns whether there may be more */
export async function takeReports(db: Db): Promise<boolean> {
  const { rows } = await sql<Omit<Report, 'partnerId' | 'orgId'>>`DELETE FROM automation_reports WHERE id IN (
      SELECT id FROM automation_reports ORDER BY id LIMIT ${takenMax} FOR UPDATE SKIP LOCKED)
    RETURNING run_id, step, device_id, attempt, error`.execute(db)
  if (rows.length === 0) return false
  const runIds = [...new Set(rows.map(({ runId }) => runId))]
  // Runs before their tasks, as the worker of a run locks them.
  await sql`SELECT FROM automation_runs WHERE id = ANY (${runIds}::uuid[]) ORDER BY id FOR UPDATE`.execute(db)
  await sql`UPDATE automation_step_devices t SET reported = CASE WHEN r.error IS NULL THEN 'succeeded' ELSE 'failed' END,
      error = r.error, due_at = now()
    FROM unnest(${rows.map(({ runId }) => runId)}::uuid[], ${rows.map(({ step }) => step)}::int[],
      ${rows.map(({ deviceId }) => deviceId)}::uuid[], ${rows.map(({ attempt }) => attempt)}::int[],
      ${rows.map(({ error }) => error)}::text[]) AS r(run_id, step, device_id, attempt, error)
    WHERE t.run_id = r.run_id AND t.step = r.step AND t.device_id IS NOT DISTINCT FROM r.device_id
      AND t.attempt = r.attempt AND t.status = 'running'`.execute(db)
  await sql`UPDATE automation_runs SET due_at = now() WHERE id = ANY (${runIds}::uuid[]) AND status = 'running'`.execute(
    db,
  )
  return rows.length === takenMax
}
