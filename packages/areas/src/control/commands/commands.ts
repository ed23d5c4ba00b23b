import { randomUUID } from 'node:crypto'
import { consecutively } from '@muster/db/database.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { deviceById } from '../../fleet/devices/index.ts'
import { type Call, implement } from '../../operation.ts'
import type { Settings } from '../../services.ts'
import { askForApproval } from './approvals/approval.queries.ts'
import { judgeReach, reachedWith, requireReach, wantsSecondPerson } from './bulk/blast-radius.ts'
import { auditBulk } from './bulk/bulk-audit.ts'
import { selectTargets } from './bulk/targets.ts'
import { shownTo } from './command-content.ts'
import { commandType } from './command-registry.ts'
import { CommandWait } from './command-wait.ts'
import { type Command, commands as contract } from './commands.contract.ts'
import {
  cancelCommands,
  commandById,
  commandsOfBatch,
  commandsOfRequest,
  listCommands,
  lockCommand,
  progressOf,
  type Target,
  targetById,
} from './commands.queries.ts'
import { nextStatus } from './commands.rules.ts'
import { deliverAfter, deliverCancel, publishCommands } from './delivery/deliver-command.ts'
import { issueBeforeJudging, issueToAll, refusalOf } from './orders/issue-command.ts'
import { requestKeyOf, requireSameRequest } from './orders/request-key.ts'
import { type CommandOrder, type OrderInput, validateOrder } from './orders/validate-order.ts'
import { requireDelivery } from './stops/stops.ts'

export default implement(contract, {
  async list({ caller, input, db, services }) {
    const { id: deviceId, page, limit, ...filters } = input
    const [commands] = await Promise.all([
      listCommands(db, caller, deviceId, filters, { page, limit }),
      deviceById(db, caller, deviceId, services.clock.now()),
    ])
    return commands
  },

  async get({ caller, input, db }) {
    return shownTo(caller, await commandById(db, caller, input.id, input.commandId))
  },

  async progress({ caller, input, db }) {
    const { batchId, status, page, limit } = input
    const [progress, commands] = await Promise.all([
      progressOf(db, caller, batchId),
      commandsOfBatch(db, caller, batchId, { status, limit, offset: (page - 1) * limit }),
    ])
    return { ...progress, commands }
  },

  async create(call) {
    const { caller, input, db, services, request, audit, afterCommit, answerLater } = call
    const order = orderFor(call, input)
    // A repeated request is answered before anything is written.
    const [known] = await knownCommands(call, order)
    const issued =
      known === undefined
        ? await issueBeforeJudging(call, input.id, order, () => judgedTarget(call, order))
        : { target: await targetById(db, caller, input.id), command: known, commands: [], frames: new Map() }
    const { target, command } = issued
    if (command.deviceId !== target.id) throw conflict(otherRequest)
    const { id, hostname, orgId, partnerId } = target
    const details = { commandId: command.id, type: order.type, risk: commandType(order.type).risk }
    audit({ target: id, name: hostname, orgId, partnerId, details })
    if (input.waitMs === 0) {
      deliverAfter(call, issued, [target])
      return command
    }
    const wait = new CommandWait(services, {
      caller,
      partnerId,
      command,
      waitMs: input.waitMs,
      signal: request.signal,
    })
    afterCommit(() => wait.listen())
    deliverAfter(call, issued, [target])
    answerLater(() => wait.result())
    return command
  },

  async cancel({ caller, input, db, services, audit, afterCommit }) {
    const before = await lockCommand(db, caller, input.id, input.commandId)
    const { id, deviceId, orgId, partnerId, siteId, hostname: name, status } = before
    if (nextStatus(status, 'cancelled') === null) throw conflict(`The command has already ended: ${status}`)
    // A running command ends when its device reports it. Other commands end at once and are not sent again.
    const now = new Date(services.clock.now()).toISOString()
    const cancelled = status === 'running' ? [] : await cancelCommands(db, { id }, { error: null, now })
    audit({ target: deviceId, name, orgId, partnerId, details: { commandId: id, type: before.type, was: status } })
    afterCommit(() => deliverCancel(services, before))
    afterCommit(() => publishCommands(services, cancelled, () => ({ orgId, siteId, partnerId })))
    return cancelled[0] ?? before
  },

  async bulk(call) {
    const { input } = call
    const order = { ...orderFor(call, input), batchId: randomUUID() }
    const { targets, unseen } = await selectTargets(call, input)
    const { code, message } = notFound('Device')
    const failed = unseen.map((deviceId) => ({ deviceId, code, message }))
    const known = await knownCommands(call, order)
    if (known.length > 0) return { ...again(known, targets, order, call.services.settings), failed, approval: null }
    await requireDelivery(
      call.db,
      targets.map(({ partnerId }) => partnerId),
    )
    if ((await judgeReach(call, order.type, targets)) === 'second person') {
      const approval = await askForApproval(call, order, targets)
      const { id: target, orgId, partnerId, devices, hash } = approval
      const details = { type: order.type, devices, hash }
      call.audit({ action: 'device.command.request', target, orgId, partnerId, details })
      return { batchId: null, commands: [], skipped: [], failed, approval }
    }
    const issued = await issueToAll(call, targets, order)
    const { commands, skipped } = issued
    auditBulk(call, commands, targets, order)
    deliverAfter(call, issued, targets)
    return {
      batchId: commands.length === 0 ? null : order.batchId,
      commands: [...commands],
      skipped: [...skipped],
      failed,
      approval: null,
    }
  },
})

/** The device of a command, if the caller sees it and has the reach. */
async function judgedTarget(call: Call<{ readonly id: string }>, { type }: CommandOrder): Promise<Target> {
  const { caller, db, input } = call
  const { id: deviceId } = input
  const [reached, target, wantsSecond] = await Promise.all([
    // First, because a request that waits for its turn must not lock a device.
    reachedWith(db, caller.userId, type, [deviceId]),
    targetById(db, caller, deviceId),
    wantsSecondPerson(db, { deviceId }),
  ])
  await requireReach(call, type, [target], { reached, wantsSecond })
  return target
}

const otherRequest = 'The idempotency key was used for another request'

type Asked = OrderInput & { readonly idempotencyKey?: string | undefined }

function orderFor({ caller, services }: Call, { idempotencyKey, ...asked }: Asked): CommandOrder {
  const order = validateOrder(caller, asked, services.clock.now())
  return idempotencyKey === undefined ? order : { ...order, requestKey: requestKeyOf(caller, idempotencyKey) }
}

/** The commands that an earlier identical request created. Concurrent ones wait for each other. */
async function knownCommands({ db }: Call, order: CommandOrder): Promise<Command[]> {
  if (order.requestKey === undefined) return []
  const turn = sql`SELECT pg_advisory_xact_lock(hashtextextended(${order.requestKey}, 0))`
  const known = await consecutively(db, turn, commandsOfRequest(order.requestKey))
  requireSameRequest(known, order)
  return known
}

/** The answer to a repeated request: its commands as they are now, and why other devices were skipped. */
function again(known: readonly Command[], targets: readonly Target[], order: CommandOrder, settings: Settings) {
  const issued = new Set(known.map(({ deviceId }) => deviceId))
  const skipped = targets
    .filter(({ id }) => !issued.has(id))
    .map((target) => ({
      deviceId: target.id,
      reason: refusalOf(target, order, settings) ?? ('already_pending' as const),
    }))
  return { batchId: known[0]?.batchId ?? null, commands: [...known], skipped }
}
