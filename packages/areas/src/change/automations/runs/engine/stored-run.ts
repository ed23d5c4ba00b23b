// A run as workers hold it, and the changes of its row.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { PlanOwner } from '../../../../control/commands/plans/owner.contract.ts'
import type { EventCause } from '../../../../platform/events/event-type.contract.ts'
import { Action, OnFailure } from '../actions/actions.contract.ts'
import type { RunStatus } from '../runs.contract.ts'

/** What a run does: its automation as it was at the start. */
export const RunPlan = z.object({
  name: z.string(),
  actions: z.array(Action),
  /** Of what each action sends; null for actions that send nothing. */
  works: z.array(z.string().nullable()).default([]),
  onFailure: OnFailure,
  respectMaintenance: z.boolean(),
  owner: PlanOwner,
})
export type RunPlan = z.infer<typeof RunPlan>

export interface StoredRun {
  readonly id: string
  readonly automationId: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly triggeredBy: 'schedule' | 'event' | 'webhook' | 'manual'
  readonly status: RunStatus
  readonly reason: string | null
  readonly plan: unknown
  readonly chain: readonly string[]
  readonly event: Readonly<Record<string, unknown>> | null
  readonly body: Readonly<Record<string, unknown>> | null
  readonly deviceIds: readonly string[] | null
  readonly step: number
  readonly createdAt: string
  readonly failures: number
}

/** The cause of what a run changes. */
export const causeOf = ({ id, automationId, chain }: Pick<StoredRun, 'id' | 'automationId' | 'chain'>): EventCause => ({
  runId: id,
  chain: [...chain, automationId],
})

/** Takes a run that is due, until the transaction ends. Runs wait while the commands of their partner are stopped. */
export async function takeRun(db: Db): Promise<StoredRun | undefined> {
  const { rows } =
    await sql<StoredRun>`SELECT r.id, r.automation_id, r.partner_id, r.org_id, r.triggered_by, r.status, r.reason, r.plan,
      r.chain, r.event, r.body, r.device_ids, r.step, r.created_at, r.failures
    FROM automation_runs r WHERE r.due_at <= now()
      AND NOT EXISTS (SELECT FROM command_stops s WHERE s.partner_id IS NULL OR s.partner_id = r.partner_id)
    ORDER BY r.due_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED`.execute(db)
  return rows[0]
}

const logMax = 500

/** A line for the log of a run. */
export const logged = (message: string) =>
  sql`CASE WHEN jsonb_array_length(log) >= ${logMax} THEN log
    ELSE log || jsonb_build_array(jsonb_build_object('at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'message', ${message}::text)) END`

/** Ends a run, and lets those that wait for it look again. */
export async function endRun(db: Db, run: StoredRun, status: RunStatus, reason: string | null): Promise<void> {
  const words = reason === null ? `The run ended: ${status}` : `The run ended: ${status}, ${reason}`
  await sql`UPDATE automation_runs SET status = ${status}, reason = ${reason}, due_at = NULL, finished_at = clock_timestamp(),
      log = ${logged(words)} WHERE id = ${run.id}::uuid`.execute(db)
  await sql`UPDATE automation_runs SET due_at = now() WHERE id IN (
    SELECT id FROM automation_runs WHERE automation_id = ${run.automationId}::uuid AND status = 'queued' AND reason = ${waiting}
    ORDER BY created_at, id LIMIT ${wokenMax} FOR UPDATE SKIP LOCKED)`.execute(db)
}

/** Why a run is queued: another one with the same devices is open. */
export const waiting = 'waiting'
const wokenMax = 20
