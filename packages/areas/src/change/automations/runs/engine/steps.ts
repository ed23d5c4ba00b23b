// The steps of a run: each is carried out on all devices that take part before the next one begins.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { isPerDevice } from '../actions/index.ts'
import { endOf, endOfStep } from './limits.rules.ts'
import type { Moving } from './moving.ts'
import { endRun, logged, type RunPlan, type StoredRun } from './stored-run.ts'
import { tellOwner } from './tell-owner.ts'

/** Begins a step on the devices that still take part, or once. */
export async function startStep(db: Db, run: StoredRun, plan: RunPlan, number: number): Promise<void> {
  const action = plan.actions[number - 1]
  if (action === undefined) throw new Error('a step has an action')
  const { id, partnerId, orgId } = run
  await sql`UPDATE automation_runs SET step = ${number}, due_at = now() WHERE id = ${id}::uuid`.execute(db)
  await sql`INSERT INTO automation_steps (run_id, number, partner_id, org_id, type, started_at)
    VALUES (${id}::uuid, ${number}, ${partnerId}::uuid, ${orgId}::uuid, ${action.type}, clock_timestamp())`.execute(db)
  const devices = sql`SELECT device_id FROM automation_run_devices WHERE run_id = ${id}::uuid AND status = 'running'`
  const targets = isPerDevice(action) ? devices : sql`SELECT NULL::uuid AS device_id`
  await sql`INSERT INTO automation_step_devices (run_id, step, device_id, partner_id, org_id)
    SELECT ${id}::uuid, ${number}, t.device_id, ${partnerId}::uuid, ${orgId}::uuid FROM (${targets}) t`.execute(db)
}

interface Ended {
  readonly deviceId: string | null
  readonly status: 'succeeded' | 'failed' | 'skipped'
  readonly error: string | null
}

/** Ends the step under way, and begins the next one or ends the run. */
export async function endStep(moving: Moving, run: StoredRun, plan: RunPlan): Promise<void> {
  const { db } = moving
  const { id, step } = run
  const { rows: ended } = await sql<Ended>`SELECT device_id, status, error FROM automation_step_devices
    WHERE run_id = ${id}::uuid AND step = ${step}`.execute(db)
  const status = endOfStep(ended.map((task) => task.status))
  const action = plan.actions[step - 1]
  const onFailure = action?.onFailure ?? plan.onFailure
  const bad = ended.filter((task) => task.status === 'failed')
  await sql`UPDATE automation_steps SET status = ${status}, finished_at = clock_timestamp()
    WHERE run_id = ${id}::uuid AND number = ${step}`.execute(db)
  const failures = bad.length === 0 ? '' : `, ${bad.length} failed`
  await sql`UPDATE automation_runs SET log = ${logged(`Step ${step} ${action?.type}: ${status}${failures}`)} WHERE id = ${id}::uuid`.execute(
    db,
  )
  await leave(db, run, ended, onFailure !== 'continue')
  const [first] = bad
  if (first !== undefined && onFailure === 'notify') {
    const owned = { id: run.automationId, partnerId: run.partnerId, orgId: run.orgId, ownerId: plan.owner.userId }
    await tellOwner(moving, owned, `Step ${step} of ${plan.name} failed`, first.error ?? '')
  }
  const stops = onFailure !== 'continue' && bad.some(({ deviceId }) => deviceId === null)
  if (!stops && step < plan.actions.length && (await hasDevicesLeft(db, run))) return startStep(db, run, plan, step + 1)
  await finish(db, run, stops)
}

/** Takes devices out of the run: skipped ones, and failed ones unless failures do not matter. */
async function leave(db: Db, { id, step }: StoredRun, ended: readonly Ended[], withFailed: boolean): Promise<void> {
  const leaving = ended.filter(
    ({ deviceId, status }) => deviceId !== null && (status === 'skipped' || (withFailed && status === 'failed')),
  )
  if (leaving.length === 0) return
  await sql`UPDATE automation_run_devices d SET status = u.status, reason = left(u.reason, 500)
    FROM unnest(${leaving.map(({ deviceId }) => deviceId)}::uuid[], ${leaving.map(({ status }) => status)}::text[],
      ${leaving.map(({ error }) => `Step ${step}: ${error ?? ''}`)}::text[]) AS u(device_id, status, reason)
    WHERE d.run_id = ${id}::uuid AND d.device_id = u.device_id`.execute(db)
}

async function hasDevicesLeft(db: Db, { id }: StoredRun): Promise<boolean> {
  const { rows } = await sql<{ left: boolean }>`SELECT count(*) = 0 OR bool_or(status = 'running') AS left
    FROM automation_run_devices WHERE run_id = ${id}::uuid`.execute(db)
  return rows[0]?.left === true
}

/** Ends the run. Devices that reached the end succeeded, unless one of their steps failed. */
async function finish(db: Db, run: StoredRun, stopped: boolean): Promise<void> {
  const { id } = run
  const failedStep = sql`EXISTS (SELECT FROM automation_step_devices t WHERE t.run_id = d.run_id AND t.device_id = d.device_id AND t.status = 'failed')`
  await sql`UPDATE automation_run_devices d
    SET status = CASE WHEN ${failedStep} THEN 'failed' WHEN ${stopped} THEN 'skipped' ELSE 'succeeded' END,
      reason = CASE WHEN ${failedStep} THEN 'A step failed' WHEN ${stopped} THEN 'step_failed' END
    WHERE d.run_id = ${id}::uuid AND d.status = 'running'`.execute(db)
  const { rows } = await sql<{
    total: number
    succeeded: number
    failed: number
    skipped: number
    onceFailed: boolean
  }>`
    SELECT count(*)::int AS total, count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
      count(*) FILTER (WHERE status = 'failed')::int AS failed, count(*) FILTER (WHERE status = 'skipped')::int AS skipped,
      EXISTS (SELECT FROM automation_step_devices t WHERE t.run_id = ${id}::uuid AND t.device_id IS NULL AND t.status = 'failed') AS once_failed
    FROM automation_run_devices WHERE run_id = ${id}::uuid`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('a count has a row')
  const status = endOf(counts, counts.onceFailed)
  await endRun(db, run, status, counts.failed > 0 || counts.onceFailed ? 'step_failed' : null)
}
