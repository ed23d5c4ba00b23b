// Starts automations on their schedules. The next time is in the row of the automation, which the worker that queues the run
// locks and moves on in one transaction: so a time is used once, however many workers there are and whenever one ends.
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { everywhere } from '../../../background/job.ts'
import { nextTime } from './next-time.rules.ts'
import { Trigger } from './triggers.contract.ts'

const pollMs = 250
const takenMax = 100

interface Due {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly trigger: unknown
  readonly nextRunAt: string
  readonly now: string
}

/** Queues the runs of schedules that are due. @returns whether there were any */
export async function queueScheduled(db: Db): Promise<boolean> {
  const { rows } = await sql<Due>`SELECT id, partner_id, org_id, trigger, next_run_at, now() AS now FROM automations
    WHERE status = 'enabled' AND next_run_at <= now() ORDER BY next_run_at LIMIT ${takenMax} FOR NO KEY UPDATE SKIP LOCKED`.execute(
    db,
  )
  const queued = rows.flatMap(({ trigger: stored, ...due }) => {
    const trigger = Trigger.parse(stored)
    if (trigger.type !== 'schedule') return []
    const nowMs = Date.parse(due.now)
    const catchUpMs = trigger.catchUpSeconds * 1_000
    const isMissed = nowMs - Date.parse(due.nextRunAt) > catchUpMs
    // Of many missed times the first one is on record, and those within the time to catch up are used.
    const fromMs = isMissed ? Math.max(Date.parse(due.nextRunAt), nowMs - catchUpMs) : Date.parse(due.nextRunAt)
    const next = nextTime(trigger.cron, trigger.timezone, fromMs)
    const key = new Date(due.nextRunAt).toISOString()
    return [{ ...due, key, isMissed, next: next === null ? null : new Date(next).toISOString() }]
  })
  if (queued.length === 0) return false
  const column = <Key extends keyof (typeof queued)[number]>(key: Key) => queued.map((each) => each[key])
  await sql`INSERT INTO automation_runs (automation_id, partner_id, org_id, triggered_by, trigger_key, status, reason, due_at, finished_at)
    SELECT id, partner_id, org_id, 'schedule', key, CASE WHEN missed THEN 'skipped' ELSE 'queued' END, CASE WHEN missed THEN 'missed' END,
      CASE WHEN missed THEN NULL ELSE now() END, CASE WHEN missed THEN now() END
    FROM unnest(${column('id')}::uuid[], ${column('partnerId')}::uuid[], ${column('orgId')}::uuid[], ${column('key')}::text[],
      ${column('isMissed')}::boolean[]) AS u(id, partner_id, org_id, key, missed)
    ON CONFLICT (automation_id, trigger_key) DO NOTHING`.execute(db)
  await sql`UPDATE automations a SET next_run_at = u.next
    FROM unnest(${column('id')}::uuid[], ${column('next')}::timestamptz[]) AS u(id, next) WHERE a.id = u.id`.execute(db)
  return true
}

export const automationSchedules = everywhere(pollMs, 'automation-schedules', async ({ pool }) => {
  while (await asSystem(pool, queueScheduled)) {}
})
