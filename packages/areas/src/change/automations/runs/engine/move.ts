// Moves runs: each move is one transaction, which holds what it did and where the run goes on. So a worker may end at any time.
import { asSystem, type Db } from '@muster/db/database.ts'
import { isTransient } from '@muster/kit/transient-errors.ts'
import { sql } from 'kysely'
import type { WorkerParts } from '../../../../background/worker-parts.ts'
import { verdictsOf } from '../../../../control/maintenance/index.ts'
import type { Step, Task, TaskState } from '../actions/action-kind.ts'
import { kindOf } from '../actions/index.ts'
import { rendered } from '../actions/templates.ts'
import { beginRun } from './begin.ts'
import { devicesById } from './devices.ts'
import type { Moving } from './moving.ts'
import { scopeOf } from './scope.ts'
import { endStep } from './steps.ts'
import { causeOf, endRun, RunPlan, type StoredRun, takeRun } from './stored-run.ts'

const failuresMax = 5

/** Moves one run that is due. @returns whether there was one */
export async function moveRun(parts: WorkerParts): Promise<boolean> {
  let taken: StoredRun | undefined
  const events: Moving['events'] = []
  const afterCommit: Moving['afterCommit'] = []
  try {
    await asSystem(parts.pool, async (db) => {
      taken = await takeRun(db)
      if (taken === undefined) return
      await move({ db, parts, events, afterCommit }, taken)
    })
  } catch (error) {
    // What failed for a store or the connection to it goes on with the next look.
    if (taken === undefined || isTransient(error)) throw error
    await postpone(parts, taken, error)
    return true
  }
  for (const effect of afterCommit) await effect()
  if (events.length > 0) await parts.publish(events)
  return taken !== undefined
}

async function move(moving: Moving, run: StoredRun): Promise<void> {
  const { db } = moving
  // What happens in this transaction has the run as its cause.
  await sql`SELECT set_config('muster.cause', ${JSON.stringify(causeOf(run))}, true)`.execute(db)
  if (run.failures > 0) await sql`UPDATE automation_runs SET failures = 0 WHERE id = ${run.id}::uuid`.execute(db)
  if (run.status === 'queued') return beginRun(moving, run)
  const plan = RunPlan.parse(run.plan)
  if (await isDisabled(db, run)) return cancel(db, run)
  await work(moving, run, plan)
  const { rows } = await sql<{ open: number; dueAt: string | null }>`SELECT count(*)::int AS open, min(due_at) AS due_at
    FROM automation_step_devices WHERE run_id = ${run.id}::uuid AND step = ${run.step} AND status IN ('pending', 'running')`.execute(
    db,
  )
  const [left] = rows
  if (left === undefined || left.open === 0) return endStep(moving, run, plan)
  await sql`UPDATE automation_runs SET due_at = ${left.dueAt}::timestamptz WHERE id = ${run.id}::uuid`.execute(db)
}

async function isDisabled(db: Db, { automationId }: StoredRun): Promise<boolean> {
  const { rows } = await sql`SELECT FROM automations WHERE id = ${automationId}::uuid AND status = 'disabled'`.execute(
    db,
  )
  return rows.length > 0
}

/** Ends a run because its automation was disabled. Commands that were sent go on. */
async function cancel(db: Db, run: StoredRun): Promise<void> {
  await sql`UPDATE automation_run_devices SET status = 'skipped', reason = 'disabled'
    WHERE run_id = ${run.id}::uuid AND status = 'running'`.execute(db)
  await sql`UPDATE automation_step_devices SET status = 'skipped', error = 'disabled', due_at = NULL
    WHERE run_id = ${run.id}::uuid AND status IN ('pending', 'running')`.execute(db)
  await sql`UPDATE automation_steps SET status = 'skipped', finished_at = clock_timestamp()
    WHERE run_id = ${run.id}::uuid AND finished_at IS NULL`.execute(db)
  await endRun(db, run, 'cancelled', 'disabled')
}

interface StoredTask {
  readonly id: string
  readonly deviceId: string | null
  readonly status: 'pending' | 'running'
  readonly attempt: number
  readonly beganAt: string | null
  readonly reported: 'succeeded' | 'failed' | null
  readonly error: string | null
}

/** Carries out what is due of the step. */
async function work(moving: Moving, run: StoredRun, plan: RunPlan): Promise<void> {
  const { db } = moving
  const action = plan.actions[run.step - 1]
  if (action === undefined) throw new Error('a step has an action')
  const { rows: due } =
    await sql<StoredTask>`SELECT id, device_id, status, attempt, began_at, reported, error FROM automation_step_devices
    WHERE run_id = ${run.id}::uuid AND step = ${run.step} AND status IN ('pending', 'running') AND due_at <= now() ORDER BY device_id`.execute(
      db,
    )
  if (due.length === 0) return
  const ids = due.flatMap(({ deviceId }) => deviceId ?? [])
  const devices = await devicesById(db, ids)
  const held = plan.respectMaintenance ? await heldOf(db, due) : new Set<string>()
  const states = new Map<string, TaskState>()
  const begun: Task[] = []
  const underWay: Task[] = []
  for (const task of due) {
    const device = task.deviceId === null ? null : (devices.get(task.deviceId) ?? null)
    const text = rendered(action, scopeOf(run, plan, device))
    if (task.deviceId !== null && device === null) states.set(task.id, { status: 'skipped', error: 'gone' })
    else if (task.reported !== null)
      states.set(
        task.id,
        task.reported === 'succeeded' ? { status: 'succeeded' } : { status: 'failed', error: task.error ?? '' },
      )
    else if (task.status === 'pending' && held.has(task.deviceId ?? ''))
      states.set(task.id, { status: 'skipped', error: 'maintenance' })
    else if ('fault' in text) states.set(task.id, { status: 'failed', error: text.fault })
    else {
      const beganAt = task.beganAt ?? new Date().toISOString()
      const made = { id: task.id, device, attempt: task.attempt, beganAt, action: text.action }
      if (task.status === 'pending') begun.push(made)
      else underWay.push(made)
    }
  }
  const { name, owner, respectMaintenance, works } = plan
  const workHash = works[run.step - 1] ?? null
  const step: Step = { ...moving, run: { ...run, name, owner, respectMaintenance, workHash } }
  const kind = kindOf(action)
  if (begun.length > 0) for (const [id, state] of await kind.begin(step, begun)) states.set(id, state)
  if (underWay.length > 0) for (const [id, state] of await kind.check(step, underWay)) states.set(id, state)
  const { retries, retryDelaySeconds } = action
  await store(db, due, states, { retries, retryDelaySeconds })
}

/** Devices on which maintenance windows hold automations back. */
async function heldOf(db: Db, due: readonly StoredTask[]): Promise<Set<string>> {
  const pending = due.flatMap(({ deviceId, status }) => (status === 'pending' && deviceId !== null ? [deviceId] : []))
  const verdicts = await verdictsOf(db, pending, 'automations')
  return new Set([...verdicts].flatMap(([id, { permitted }]) => (permitted ? [] : [id])))
}

/** Stores how tasks are now. A failed one is tried again while it has retries. */
async function store(
  db: Db,
  tasks: readonly StoredTask[],
  states: ReadonlyMap<string, TaskState>,
  { retries, retryDelaySeconds }: { readonly retries: number; readonly retryDelaySeconds: number },
): Promise<void> {
  const rows = tasks.flatMap((task) => {
    const state = states.get(task.id)
    if (state === undefined) return []
    const isAgain = state.status === 'failed' && task.attempt <= retries
    const error = 'error' in state ? state.error.slice(0, 1_000) : null
    const commandId = 'commandId' in state ? (state.commandId ?? null) : null
    const again = new Date(Date.now() + retryDelaySeconds * 1_000).toISOString()
    const dueAt = isAgain ? again : state.status === 'running' ? state.dueAt : null
    return [{ id: task.id, status: isAgain ? 'pending' : state.status, error, commandId, dueAt, isAgain }]
  })
  await sql`UPDATE automation_step_devices t SET status = u.status, error = u.error, due_at = u.due_at, reported = NULL,
      command_id = coalesce(u.command_id, t.command_id), attempt = t.attempt + u.again::int,
      began_at = CASE WHEN u.again THEN NULL ELSE coalesce(t.began_at, clock_timestamp()) END
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ status }) => status)}::text[], ${rows.map(({ error }) => error)}::text[],
      ${rows.map(({ commandId }) => commandId)}::uuid[], ${rows.map(({ dueAt }) => dueAt)}::timestamptz[],
      ${rows.map(({ isAgain }) => isAgain)}::boolean[]) AS u(id, status, error, command_id, due_at, again)
    WHERE t.id = u.id`.execute(db)
}

/** After a failure of Muster itself: the run is tried again later, and ends after some failures. */
async function postpone({ pool, log }: WorkerParts, run: StoredRun, error: unknown): Promise<void> {
  log.error({ err: error, runId: run.id, automationId: run.automationId }, 'The run of an automation could not go on')
  await asSystem(pool, async (db) => {
    if (run.failures + 1 >= failuresMax) return endRun(db, run, 'failed', 'internal')
    await sql`UPDATE automation_runs SET failures = failures + 1, due_at = now() + make_interval(secs => 2 ^ failures)
      WHERE id = ${run.id}::uuid AND due_at IS NOT NULL`.execute(db)
  })
}
