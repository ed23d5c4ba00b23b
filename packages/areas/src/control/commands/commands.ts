import { randomUUID } from 'node:crypto'
import { conflict } from '@muster/kit/errors.ts'
import { deviceById } from '../../fleet/devices/index.ts'
import { type Call, implement } from '../../operation.ts'
import { reachedWith, requireReach, wantsSecondPerson } from './bulk/blast-radius.ts'
import { sendToMany } from './bulk/send-to-many.ts'
import { selectTargets } from './bulk/targets.ts'
import { shownTo } from './command-content.ts'
import { commandType } from './command-registry.ts'
import { CommandWait } from './command-wait.ts'
import { commands as contract } from './commands.contract.ts'
import { commandById, commandsOfBatch, listCommands, progressOf, type Target, targetById } from './commands.queries.ts'
import { deliverAfter } from './delivery/deliver-command.ts'
import { issueBeforeJudging } from './orders/issue-command.ts'
import { knownCommands } from './orders/known-commands.ts'
import { orderFor } from './orders/order-for.ts'
import type { CommandOrder } from './orders/validate-order.ts'
import { cancelCommand } from './results/cancel-command.ts'

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
    const details = {
      ...{ commandId: command.id, type: order.type, risk: commandType(order.type).risk },
      ...(order.respectMaintenance ? {} : { respectMaintenance: false }),
    }
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

  async cancel(call) {
    const { id: deviceId, commandId } = call.input
    return cancelCommand(call, { deviceId, commandId })
  },

  async bulk(call) {
    const order = { ...orderFor(call, call.input), batchId: randomUUID() }
    return sendToMany(call, order, await selectTargets(call, call.input))
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
