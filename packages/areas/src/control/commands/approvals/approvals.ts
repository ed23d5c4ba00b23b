// Approvals by a second person. The command is sent in the name of the requester, if they still have the permission.
import { randomUUID } from 'node:crypto'
import { asSystem, type Db } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import { conflict, denied } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { accessibleOrgs, findAccount, membershipIn, permissionsOfRole } from '../../../access/auth/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireUnlimited } from '../../../tenancy/tenancy/index.ts'
import { auditBulk } from '../bulk/bulk-audit.ts'
import { maySeeContent } from '../command-content.ts'
import { commandType } from '../command-registry.ts'
import { type Target, targetsOf } from '../commands.queries.ts'
import { deliverAfter } from '../delivery/deliver-command.ts'
import { issueToAll } from '../orders/issue-command.ts'
import { approvalById, decide, listApprovals, requireOpen, type StoredApproval } from './approval.queries.ts'
import { approvals as contract } from './approvals.contract.ts'
import { requireIndependent, requirementOf, tellOfTurnOff, turnOffMs } from './second-person.ts'

export default implement(contract, {
  async list({ caller, db, input: { status: wanted, page, limit } }) {
    return listApprovals(db, caller, wanted, { page, limit })
  },

  async get({ caller, db, input }) {
    const approval = await approvalById(db, caller, input.id)
    const isShown = approval.requestedBy === caller.userId || maySeeContent(caller, approval.type)
    return isShown ? approval : { ...approval, payload: null }
  },

  async approve(call) {
    const { caller, db, input, audit } = call
    const approval = await approvalById(db, caller, input.id, 'to decide')
    await requireIndependent(call, approval.requestedBy)
    requireOpen(approval)
    if (input.hash !== approval.hash) throw conflict('The request is not the one that was shown')
    const { permission } = commandType(approval.type)
    if (!hasPermission(caller, permission)) throw denied(`Permission denied: ${permission} is required`)
    const targets = await targetsOf(db, caller, approval.deviceIds)
    if (targets.length < approval.deviceIds.length) throw denied('Some of its devices are out of your reach')
    await requireRequester(call, approval)
    const batchId = randomUUID()
    const issued = await issueToAll(call, targets, orderOf(call, approval, batchId))
    const { commands, skipped } = issued
    await decide(db, approval, { status: 'approved', decidedBy: caller.userId, batchId })
    audit({ ...note(approval, targets), action: 'device.command.approve' })
    auditBulk(call, commands, targets, { type: approval.type, batchId, approvalId: approval.id })
    deliverAfter(call, issued, targets)
    return { approval: await approvalById(db, caller, approval.id), commands: [...commands], skipped: [...skipped] }
  },

  async refuse(call) {
    const { caller, db, input, audit } = call
    const approval = await approvalById(db, caller, input.id, 'to decide')
    requireOpen(approval)
    const isOwn = approval.requestedBy === caller.userId
    if (!isOwn) await call.stepUp()
    const { reason } = input
    await decide(db, approval, { status: isOwn ? 'withdrawn' : 'refused', decidedBy: caller.userId, reason })
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
    const value = JSON.stringify(change)
    await db
      .updateTable('partners')
      .set({ settings: sql`(settings - 'secondPersonEnds') || ${value}::jsonb` })
      .where('id', '=', id)
      .execute()
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

function orderOf({ services }: Call, approval: StoredApproval, batchId: string) {
  const { type, payload, timeoutMs, expiresInSeconds, requestedBy: createdBy, requestKey } = approval
  const expiresAt = new Date(services.clock.now() + expiresInSeconds * 1_000).toISOString()
  return { type, payload, timeoutMs, expiresAt, createdBy, batchId, ...(requestKey === null ? {} : { requestKey }) }
}

const note = (approval: StoredApproval, targets: readonly Target[], more: object = {}) => ({
  target: approval.id,
  orgId: approval.orgId,
  partnerId: approval.partnerId ?? targets[0]?.partnerId ?? null,
  details: {
    type: approval.type,
    devices: approval.devices,
    hash: approval.hash,
    requestedBy: approval.requestedBy,
    ...more,
  },
})

/** @throws CONFLICT if the requester is gone, lost the permission, or no longer reaches the devices */
async function requireRequester({ services }: Call, approval: StoredApproval): Promise<void> {
  const { requestedBy, requestedAs, deviceIds, type } = approval
  const may = await asSystem(services.system, async (db) => {
    const account = await findAccount(db, requestedBy)
    const membership = await membershipIn(db, requestedBy, requestedAs)
    if (account?.status !== 'active' || membership === undefined) return false
    const held = { permissions: await permissionsOfRole(db, membership.roleId) }
    const isPermitted = [commandType(type).permission, 'devices:execute' as const].every((one) =>
      hasPermission(held, one),
    )
    const reach = { ...membership, accessibleOrgIds: accessibleOrgs(membership) }
    return isPermitted && (await targetsOf(db, reach, deviceIds)).length === deviceIds.length
  })
  if (!may) throw conflict('The requester no longer has permission for this command')
}
