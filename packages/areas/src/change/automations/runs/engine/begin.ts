// The start of a run: whether it may, on which devices, and its first step.
import type { Db } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { ownerMay } from '../../../../control/commands/index.ts'
import { PlanOwner } from '../../../../control/commands/plans/owner.contract.ts'
import { recordAsSystem } from '../../../../platform/audit/index.ts'
import { hashesOf } from '../../works.ts'
import { Actions } from '../actions/actions.contract.ts'
import { isPerDevice, permissionsFor } from '../actions/index.ts'
import { drawDevices } from './devices.ts'
import { type RunRefusal, refusalOfChain, verdictBeside } from './limits.rules.ts'
import { otherRuns, tooOften } from './limits.ts'
import type { Moving } from './moving.ts'
import { startStep } from './steps.ts'
import { endRun, logged, type RunPlan, type StoredRun, waiting } from './stored-run.ts'
import { tellOwner } from './tell-owner.ts'

interface StoredAutomation {
  readonly id: string
  readonly name: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly status: 'enabled' | 'disabled' | 'awaiting_approval' | 'tripped'
  readonly conditions: unknown
  readonly actions: unknown
  readonly onFailure: RunPlan['onFailure']
  readonly overlap: 'skip' | 'queue' | 'parallel'
  readonly maxDevicesPerRun: number
  readonly maxRunsPerHour: number
  readonly cooldownSeconds: number
  readonly respectMaintenance: boolean
  readonly ownerId: string
  readonly ownedAs: unknown
}

/** The automation of a run, locked so that its runs start one after another. */
async function automationOf(db: Db, { automationId }: StoredRun): Promise<StoredAutomation> {
  const { rows } =
    await sql<StoredAutomation>`SELECT id, name, partner_id, org_id, status, conditions, actions, on_failure, overlap,
      max_devices_per_run, max_runs_per_hour, cooldown_seconds, respect_maintenance, owner_id, owned_as
    FROM automations WHERE id = ${automationId}::uuid FOR NO KEY UPDATE`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('a run has an automation')
  return found
}

/** A run waits at most this long until it looks again. */
const waitSeconds = 30

/** Starts a run, or notes why it does not start. */
export async function beginRun(moving: Moving, run: StoredRun): Promise<void> {
  const { db } = moving
  const automation = await automationOf(db, run)
  const actions = Actions.parse(automation.actions)
  const owner = PlanOwner.parse({ userId: automation.ownerId, place: automation.ownedAs })
  const skip = (reason: RunRefusal) => endRun(db, run, 'skipped', reason)
  if (automation.status === 'disabled') return endRun(db, run, 'cancelled', 'disabled')
  if (automation.status !== 'enabled') return skip(automation.status)
  const inChain = refusalOfChain(run.chain, automation.id)
  if (inChain !== null) return skip(inChain)
  const needsDevices = actions.some(isPerDevice)
  const drawn = needsDevices || run.deviceIds !== null ? await draw(db, automation, run) : []
  if (drawn === null) return endRun(db, run, 'failed', 'conditions_invalid')
  if (drawn.length > automation.maxDevicesPerRun) return endRun(db, run, 'failed', 'too_many_devices')
  const namedNone = drawn.length === 0 && (run.deviceIds ?? []).length > 0
  if (namedNone || (needsDevices && drawn.length === 0)) return skip('no_devices')
  const verdict = verdictBeside(automation.overlap, await otherRuns(db, run, drawn, automation.cooldownSeconds))
  if (verdict === 'wait') return waitFor(db, run)
  if (verdict !== 'start') return skip(verdict)
  const reach =
    drawn.length > 0
      ? { deviceIds: drawn }
      : { partnerId: run.partnerId, orgIds: run.orgId === null ? null : [run.orgId] }
  if ((await ownerMay(db, owner, permissionsFor(actions), reach)) === 'not_permitted') {
    await disable(moving, automation, 'disabled', 'owner_not_permitted')
    return endRun(db, run, 'failed', 'owner_not_permitted')
  }
  const limit = await tooOften(db, {
    automationId: automation.id,
    maxRunsPerHour: automation.maxRunsPerHour,
    deviceIds: drawn,
  })
  if (limit !== null) {
    await disable(moving, automation, 'tripped', limit)
    return skip(limit)
  }
  const { name, onFailure, respectMaintenance } = automation
  const works = await hashesOf(db, automation.id, actions)
  await start(moving, run, { name, actions, works, onFailure, respectMaintenance, owner }, drawn)
}

/** The devices, one more than allowed where there are too many; null if the conditions name a field that was deleted. */
async function draw(db: Db, automation: StoredAutomation, run: StoredRun): Promise<string[] | null> {
  const { partnerId, orgId, conditions, maxDevicesPerRun } = automation
  try {
    return await drawDevices(db, { partnerId, orgId, conditions, deviceIds: run.deviceIds }, maxDevicesPerRun + 1)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

const waitFor = (db: Db, run: StoredRun) =>
  sql`UPDATE automation_runs SET reason = ${waiting}, due_at = now() + make_interval(secs => ${waitSeconds})
    WHERE id = ${run.id}::uuid`
    .execute(db)
    .then(() => undefined)

/** Ends the automation until a person enables it. */
async function disable(
  moving: Moving,
  { id, name, partnerId, orgId, ownerId }: StoredAutomation,
  status: 'disabled' | 'tripped',
  reason: 'owner_not_permitted' | 'too_many_runs' | 'device_loop',
): Promise<void> {
  const { db } = moving
  await sql`UPDATE automations SET status = ${status}, status_reason = ${reason}, next_run_at = NULL WHERE id = ${id}::uuid`.execute(
    db,
  )
  await recordAsSystem(db, {
    action: status === 'tripped' ? 'automation.trip' : 'automation.disable',
    ...{ target: id, name, partnerId, ...(orgId === null ? {} : { orgId }), details: { reason, ownerId } },
  })
  await tellOwner(moving, { id, partnerId, orgId, ownerId }, `The automation ${name} stopped`, stopWords[reason])
}

const stopWords = {
  owner_not_permitted:
    'Its owner no longer has the permissions or the devices that it needs. Enable it in your own name.',
  too_many_runs: 'It started more often than its limit of runs per hour. Enable it again once you know why.',
  device_loop: 'It started ten times for one device within ten minutes. Enable it again once you know why.',
} as const

async function start(moving: Moving, run: StoredRun, plan: RunPlan, deviceIds: readonly string[]): Promise<void> {
  const { db } = moving
  const { id, automationId, partnerId, orgId, triggeredBy, chain } = run
  const words = `Started by ${triggeredBy} on ${deviceIds.length} ${deviceIds.length === 1 ? 'device' : 'devices'}`
  await sql`UPDATE automation_runs SET status = 'running', reason = NULL, started_at = clock_timestamp(), plan = ${JSON.stringify(plan)}::jsonb,
      log = ${logged(words)} WHERE id = ${id}::uuid`.execute(db)
  await sql`UPDATE automations SET last_run_at = now() WHERE id = ${automationId}::uuid`.execute(db)
  await sql`INSERT INTO automation_run_devices (run_id, device_id, automation_id, partner_id, org_id)
    SELECT ${id}::uuid, unnest(${[...deviceIds]}::uuid[]), ${automationId}::uuid, ${partnerId}::uuid, ${orgId}::uuid`.execute(
    db,
  )
  await recordAsSystem(db, {
    ...{
      action: 'automation.run',
      target: automationId,
      name: plan.name,
      partnerId,
      ...(orgId === null ? {} : { orgId }),
    },
    details: { runId: id, triggeredBy, devices: deviceIds.length, ownerId: plan.owner.userId, chain },
  })
  await startStep(db, run, plan, 1)
}
