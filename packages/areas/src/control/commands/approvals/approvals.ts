// Approvals by a second person. The command is sent in the name of the requester, if they still have the permission.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import { type Caller, hasPermission, requirePermission } from '@muster/kit/access.ts'
import { conflict, denied, invariant } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../../operation.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import { requireUnlimited, setSecondPerson } from '../../../tenancy/tenancy/index.ts'
import { auditBulk } from '../bulk/bulk-audit.ts'
import { QueuedCommand } from '../commands.contract.ts'
import { type Target, targetsOf } from '../commands.queries.ts'
import { deliverAfter } from '../delivery/deliver-command.ts'
import { issueToAll } from '../orders/issue-command.ts'
import { approvePlan, requireRequester } from '../plans/approve-plan.ts'
import { permissionsFor } from '../plans/asked-plan.ts'
import { refusePlan } from '../plans/refused-plans.ts'
import { approvalById, listApprovals, requireOpen, type StoredApproval } from './approval.queries.ts'
import { decide } from './approval-requests.ts'
import { approvals as contract } from './approvals.contract.ts'
import { requireIndependent, requirementOf, tellOfTurnOff, turnOffMs } from './second-person.ts'

export default implement(contract, {
  async list({ caller, db, input: { status: wanted, page, limit } }) {
    return listApprovals(db, caller, wanted, { page, limit })
  },

  async get({ caller, db, input, services }) {
    const approval = await approvalById(db, caller, input.id)
    const mayDo = permissionsFor(services, approval).every((one) => hasPermission(caller, one))
    const isShown = approval.requestedBy === caller.userId || mayDo
    return isShown ? approval : { ...approval, payload: null }
  },

  async approve(call) {
    const { caller, db, input, services } = call
    const approval = await approvalById(db, caller, input.id, 'to decide')
    await requireIndependent(call, approval.requestedBy)
    requireOpen(approval)
    if (input.hash !== approval.hash) throw conflict('The request is not the one that was shown')
    for (const permission of permissionsFor(services, approval)) requirePermission(caller, permission)
    const sent = await (approval.plan === null ? approveCommand : approveWhole)(call, approval)
    return { approval: await approvalById(db, caller, approval.id), ...sent }
  },

  async refuse(call) {
    const { caller, db, input, audit, services, afterCommit } = call
    const approval = await approvalById(db, caller, input.id, 'to decide')
    requireOpen(approval)
    const isOwn = approval.requestedBy === caller.userId
    if (!isOwn) await call.stepUp()
    const { reason } = input
    const status = isOwn ? 'withdrawn' : 'refused'
    await decide(db, approval, { status, decidedBy: caller.userId, reason })
    if (approval.plan !== null) {
      const events = await refusePlan(db, services, approval, status, reason)
      afterCommit(() => publishEvents(services.redis, events))
    }
    audit(note(approval, [], { reason, withdrawn: isOwn }))
    return approvalById(db, caller, approval.id)
  },

  async required({ db, caller, services }) {
    const { settings } = await partnerOf(db, caller).executeTakeFirstOrThrow()
    return requirementOf(settings, services.clock.now())
  },

  async require(call) {
    const { caller, db, input, audit, services } = call
    requireUnlimited(caller)
    if (!input.required) await call.stepUp()
    const before = await partnerOf(db, caller).forNoKeyUpdate().executeTakeFirstOrThrow()
    const { id, name, settings } = before
    const change = input.required ? { secondPerson: true } : await turnedOff(call, id, settings)
    await setSecondPerson(db, id, change)
    const after = await partnerOf(db, caller).executeTakeFirstOrThrow()
    audit({ target: id, name, partnerId: id, before, after })
    return { success: true as const, ...requirementOf(after.settings, services.clock.now()) }
  },
})

const partnerOf = (db: Db, { partnerId }: Caller) =>
  db
    .selectFrom('partners')
    .select(['id', 'name', 'settings'])
    .where('id', '=', partnerId ?? '')

/** One person alone waits a day, and all administrators are notified; with a second person it takes effect at once. */
async function turnedOff(call: Call, partnerId: string, settings: JsonObject): Promise<JsonObject> {
  const { caller, services } = call
  const nowMs = services.clock.now()
  const { required, turnOff } = requirementOf(settings, nowMs)
  if (!required) return { secondPerson: false }
  if (turnOff?.requestedBy === caller.userId) return { secondPersonEnds: turnOff }
  if (turnOff !== null) {
    await requireIndependent(call, turnOff.requestedBy)
    return { secondPerson: false }
  }
  const endsAt = new Date(nowMs + turnOffMs).toISOString()
  const wish = { requestedBy: caller.userId, requestedAt: new Date(nowMs).toISOString(), endsAt }
  await tellOfTurnOff(call, partnerId, wish)
  return { secondPersonEnds: wish }
}

/** Sends the command in the name of the requester. */
async function approveCommand(call: Call, approval: StoredApproval) {
  const { caller, db } = call
  const targets = await targetsOf(db, caller, approval.deviceIds)
  if (targets.length < approval.deviceIds.length) throw denied('Some of its devices are out of your reach')
  await requireRequester(call, approval)
  const batchId = randomUUID()
  const order = orderOf(call, approval, batchId)
  const issued = await issueToAll(call, targets, order)
  const { commands, skipped } = issued
  await decide(db, approval, { status: 'approved', decidedBy: caller.userId, batchId })
  call.audit({ ...note(approval, targets), action: 'device.command.approve' })
  auditBulk(call, commands, targets, {
    ...{ type: order.type, batchId, approvalId: approval.id },
    ...(approval.subject === null ? {} : { subject: approval.subject }),
  })
  deliverAfter(call, issued, targets)
  return { commands: [...commands], skipped: [...skipped] }
}

/** Starts the plan. Workers send its commands. */
async function approveWhole(call: Call, approval: StoredApproval) {
  await approvePlan(call, approval)
  call.audit({ ...note(approval, []), action: 'device.command.approve' })
  return { commands: [], skipped: [] }
}

function orderOf({ services }: Call, approval: StoredApproval, batchId: string) {
  const { payload, timeoutMs, respectMaintenance, expiresInSeconds, requestedBy, requestedAs } = approval
  const { requestKey, subject, deviceEnv } = approval
  invariant(timeoutMs !== null && expiresInSeconds !== null, 'a command has its times')
  const expiresAt = new Date(services.clock.now() + expiresInSeconds * 1_000).toISOString()
  return {
    ...{ type: QueuedCommand.parse(approval.type), payload, timeoutMs, respectMaintenance, expiresAt, batchId },
    ...{ createdBy: requestedBy, origin: { kind: 'approval', id: approval.id } },
    byOrganization: requestedAs.scope === 'organization',
    ...(requestKey === null ? {} : { requestKey }),
    ...(subject === null ? {} : { subject }),
    ...(deviceEnv === null ? {} : { deviceEnv: new Map(Object.entries(deviceEnv)) }),
  }
}

const note = (approval: StoredApproval, targets: readonly Target[], more: object = {}) => ({
  target: approval.id,
  orgId: approval.orgId,
  partnerId: approval.partnerId ?? targets[0]?.partnerId ?? null,
  details: {
    type: approval.type,
    ...(approval.subject === null ? {} : { subject: approval.subject }),
    devices: approval.devices,
    hash: approval.hash,
    requestedBy: approval.requestedBy,
    ...more,
  },
})
