// Begins the work of a deployment: it is started, resumed, or a device is tried again. All of it counts against the reach of
// the person, so a second person may have to approve it first.
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import { id } from '@muster/kit/contract.ts'
import { conflict, denied } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { type DeploymentKind, StoredWork } from '../../../background/deployment-kind.ts'
import type { ApprovalSummary } from '../../../control/commands/approvals/approval-summary.contract.ts'
import { judgePlan, ownerOf, signPlan, withdrawPlan } from '../../../control/commands/index.ts'
import type { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import type { Call } from '../../../operation.ts'
import { Strategy } from '../batches/strategy.contract.ts'
import { kindOf } from '../deployment-kinds.ts'
import { DeploymentStatus } from '../deployments.contract.ts'
import { devicesOf, type Row } from '../deployments.queries.ts'
import { acceptGates } from '../gates/pass-gates.ts'
import { ownerOfRow } from './owner.ts'

const Content = z.record(z.string(), z.json())

const day = 86_400_000
/** How long a deployment may take unless it says so. */
const usualDays = 7
export const usualDeadlineMs = usualDays * day

/** What a person asks for. A second person is shown it. */
export const Step = z.object({
  step: z.enum(['start', 'resume', 'retry']),
  /** The device that is tried again. */
  deviceId: id().nullable(),
  work: StoredWork,
})
export type Step = z.infer<typeof Step>

/** @throws FORBIDDEN without a permission that the order takes */
export function requirePermitted(caller: Caller, permissions: readonly Parameters<typeof hasPermission>[1][]): void {
  for (const permission of permissions)
    if (!hasPermission(caller, permission)) throw denied(`Permission denied: ${permission} is required`)
}

/** The work of the step: made at the start, and the same from then on. */
async function workOf(call: Call, row: Row, step: Step['step']): Promise<StoredWork> {
  const { db, caller } = call
  const kind = await requireStarter(call, row)
  return step === 'start' ? kind.prepare({ db, caller, owner: row }, row.ordered) : StoredWork.parse(row.work)
}

/** @throws FORBIDDEN for callers who may not send devices the order */
export async function requireStarter(call: Call, row: Row): Promise<DeploymentKind> {
  const kind = kindOf(call.services.deploymentKinds, row.ordered)
  requirePermitted(call.caller, kind.permissions(row.ordered))
  if (kind.by === 'offers') await requireOfferer(call, row, kind)
  return kind
}

/** What is offered replaces the agent itself, so it always takes a fresh proof of a system administrator. */
async function requireOfferer(call: Call, row: Row, { requireRings }: Extract<DeploymentKind, { by: 'offers' }>) {
  const { caller, db } = call
  if (caller.scope !== 'system') throw denied('Only system administrators deploy agent versions')
  if (caller.sessionId === null) throw denied(`${caller.kindName} do not deploy agent versions`)
  await call.stepUp()
  const drawn = await db
    .selectFrom('deploymentBatches')
    .select('devices')
    .where('deploymentId', '=', row.id)
    .orderBy('number')
    .execute()
  requireRings({ ...Strategy.parse(row.strategy), batches: drawn.map(({ devices }) => devices) })
}

/** The commands that the work sends. Offers send none. */
export const riskOf = (work: StoredWork) =>
  'type' in work ? { types: [work.type] } : { types: [], changesMachines: true }

/**
 * Takes the step, or asks for a second person.
 * @returns the request of the second person; null if the step was taken
 * @throws FORBIDDEN with `confirm`, or without a permission; CONFLICT after the deadline
 */
export async function begin(
  call: Call,
  row: Row,
  { step, deviceId = null }: { readonly step: Step['step']; readonly deviceId?: string | null },
): Promise<ApprovalSummary | null> {
  const { db, services } = call
  if (row.deadlineAt !== null && Date.parse(row.deadlineAt) <= services.clock.now())
    throw conflict('The deadline of the deployment has passed. Set a later deadlineAt first')
  const work = await workOf(call, row, step)
  const targets = await devicesOf(db, row.id)
  const { name, revision } = row
  const verdict = await judgePlan(call, {
    subject: { kind: 'deployment', id: row.id, name, revision },
    ...riskOf(work),
    reach: { targets },
    content: Content.parse({
      ...{ step, deviceId, work, order: row.ordered, strategy: row.strategy },
      ...{ startAt: row.startAt, deadlineAt: row.deadlineAt },
    }),
  })
  if (verdict.state === 'granted') {
    await take(call, row, { step, deviceId, work }, ownerOf(call.caller))
    return null
  }
  const waits = step === 'retry' && row.status !== 'completed' ? row.status : 'awaiting_approval'
  await db
    .updateTable('deployments')
    .set({ status: waits, statusBefore: row.status })
    .where('id', '=', row.id)
    .execute()
  return verdict.approval
}

/** Takes the step in the name of the owner. */
export async function take(call: Call, row: Row, { step, deviceId, work }: Step, owner: PlanOwner): Promise<void> {
  const { db, services } = call
  const nowMs = services.clock.now()
  const before = DeploymentStatus.parse(row.statusBefore ?? row.status)
  const isLater = row.startedAt === null && row.startAt !== null && Date.parse(row.startAt) > nowMs
  const beginsAtMs = isLater ? Date.parse(row.startAt ?? '') : nowMs
  const deadlineAt = row.deadlineAt ?? new Date(beginsAtMs + usualDays * day).toISOString()
  const runs = step !== 'retry' || before !== 'halted'
  await sign(call, { ...row, deadlineAt }, work, owner)
  if (step === 'resume')
    await sql`UPDATE deployment_devices SET accepted = true WHERE deployment_id = ${row.id}::uuid AND status = 'failed'`.execute(
      db,
    )
  if (step === 'resume' && row.reason === 'gate') await acceptGates(db, row, owner.userId)
  if (deviceId !== null)
    await sql`UPDATE deployment_devices
      SET status = 'pending', reason = NULL, exit_code = NULL, error = NULL, not_before = NULL, accepted = false
      WHERE deployment_id = ${row.id}::uuid AND device_id = ${deviceId}::uuid AND status IN ('failed', 'skipped', 'expired')`.execute(
      db,
    )
  await db
    .updateTable('deployments')
    .set({
      status: runs ? (isLater ? 'scheduled' : 'running') : before,
      statusBefore: null,
      reason: runs ? null : row.reason,
      nextAt: runs ? new Date(beginsAtMs).toISOString() : null,
      ...{ deadlineAt, endedAt: null, work: JSON.stringify(work) },
      ...{ ownerId: owner.userId, ownedAs: JSON.stringify(owner.place), revision: row.revision + 1 },
    })
    .where('id', '=', row.id)
    .execute()
}

async function sign(call: Call, row: Row, work: StoredWork, owner: PlanOwner) {
  if (!('type' in work) || work.type !== 'run_script' || row.deadlineAt === null) return
  const { payload, timeoutMs, perDevice } = work
  const devices = await devicesOf(call.db, row.id)
  await signPlan(call, {
    origin: { kind: 'deployment', id: row.id },
    owner: { partnerId: row.partnerId, orgId: row.orgId },
    by: owner.userId,
    work: [{ payload, timeoutMs, perDevice }],
    scope: { deviceIds: devices.map((device) => device.id) },
    expiresAtMs: Date.parse(row.deadlineAt),
  })
}

/** Signs the grants again, which end with the deadline. */
export async function signAgain(call: Call, row: Row): Promise<void> {
  const owner = ownerOfRow(row)
  if (owner !== null && row.work !== null) await sign(call, row, StoredWork.parse(row.work), owner)
}

/** Withdraws what waits for a second person, because the deployment changes. */
export async function withdraw(call: Call, { id: deploymentId, statusBefore }: Row, reason: string): Promise<void> {
  if (statusBefore !== null) await withdrawPlan(call, { kind: 'deployment', id: deploymentId }, reason)
}
