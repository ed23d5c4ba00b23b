import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { visibleAutomations } from '../automations.queries.ts'
import { Run, RunSummary } from './runs.contract.ts'

const shownDevices = 500

const count = (status?: 'succeeded' | 'failed' | 'skipped') =>
  status === undefined
    ? sql`(SELECT count(*)::int FROM automation_run_devices d WHERE d.run_id = run.id)`
    : sql`(SELECT count(*)::int FROM automation_run_devices d WHERE d.run_id = run.id AND d.status = ${sql.lit(status)})`

/** The counts of the devices of a run. */
const devices = sql<RunSummary['devices']>`jsonb_build_object('total', ${count()}, 'succeeded', ${count('succeeded')},
  'failed', ${count('failed')}, 'skipped', ${count('skipped')})`

/** The runs of automations within reach. */
export const visibleRuns = (db: Db, caller: Caller) =>
  db
    .selectFrom('automationRuns as run')
    .innerJoin('automations', 'automations.id', 'run.automationId')
    .where(visibleAutomations(caller))
    .select([
      'run.id',
      'run.automationId',
      'run.partnerId',
      'run.orgId',
      'run.triggeredBy',
      'run.triggerKey',
      'run.status',
      'run.reason',
      'run.dryRun',
      'run.createdAt',
      'run.startedAt',
      'run.finishedAt',
    ])
    .select(devices.as('devices'))

export const asSummary = (row: unknown): RunSummary => RunSummary.parse(row)

/** A run with its steps. @throws NOT_FOUND */
export async function runById(db: Db, caller: Caller, id: string): Promise<Run> {
  const found = await visibleRuns(db, caller).select('run.log').where('run.id', '=', id).executeTakeFirst()
  if (found === undefined) throw notFound('Run')
  const { rows: steps } = await sql<{ number: number }>`SELECT number, type, status, started_at, finished_at
    FROM automation_steps WHERE run_id = ${id}::uuid ORDER BY number`.execute(db)
  const { rows: tasks } = await sql<{ step: number }>`SELECT * FROM (
      SELECT t.step, t.device_id, d.hostname, t.status, t.attempt, t.command_id, t.error, t.detail,
        row_number() OVER (PARTITION BY t.step ORDER BY t.status <> 'failed', d.hostname, t.id) AS place
      FROM automation_step_devices t LEFT JOIN devices d ON d.id = t.device_id WHERE t.run_id = ${id}::uuid) AS placed
    WHERE place <= ${shownDevices} ORDER BY step, place`.execute(db)
  const byStep = Map.groupBy(tasks, ({ step }) => step)
  return Run.parse({ ...found, steps: steps.map((step) => ({ ...step, devices: byStep.get(step.number) ?? [] })) })
}
