import { conflict, notFound } from '@muster/kit/errors.ts'
import { implement } from '../operation.ts'
import { commandType } from './command-registry.ts'
import { CommandWait } from './command-wait.ts'
import { commands as contract } from './commands.contract.ts'
import { cancelCommands, commandById, listCommands, lockCommand, targetById, targetsOf } from './commands.queries.ts'
import { nextStatus } from './commands.rules.ts'
import { deliverCancel, tellOfCommands } from './delivery.ts'
import { deviceById } from './devices.queries.ts'
import { orderOf } from './orders.ts'
import { deliverAfter, issueTo, issueToAll } from './sending.ts'

export default implement(contract, {
  async list({ caller, input, db, services }) {
    const { id: deviceId, page, limit, ...filters } = input
    const [{ data, total }] = await Promise.all([
      listCommands(db, caller, { deviceId, filters, limit, offset: (page - 1) * limit }),
      deviceById(db, caller, deviceId, services.clock.now()),
    ])
    return { data, pagination: { page, limit, total } }
  },

  async get({ caller, input, db }) {
    return commandById(db, caller, input.id, input.commandId)
  },

  async create(call) {
    const { caller, input, db, services, request, audit, after, finish } = call
    const order = orderOf(caller, input, services.clock.now())
    const target = await targetById(db, caller, input.id)
    const command = await issueTo(call, target, order)
    const { id, hostname, orgId, partnerId } = target
    const details = { commandId: command.id, type: order.type, risk: commandType(order.type).risk }
    audit({ target: id, name: hostname, orgId, partnerId, details })
    if (input.waitMs === 0) {
      deliverAfter(call, [command], [target])
      return command
    }
    const wait = new CommandWait(services, {
      caller,
      partnerId,
      command,
      waitMs: input.waitMs,
      signal: request.signal,
    })
    after(() => wait.listen())
    deliverAfter(call, [command], [target])
    finish(() => wait.result())
    return command
  },

  async cancel({ caller, input, db, services, audit, after }) {
    const before = await lockCommand(db, caller, input.id, input.commandId)
    const { id, deviceId, orgId, partnerId, siteId, hostname: name, status } = before
    if (nextStatus(status, 'cancelled') === null) throw conflict(`The command has already ended: ${status}`)
    // A running command ends when the device says so; what had not begun is over at once and is never sent again.
    const now = new Date(services.clock.now()).toISOString()
    const cancelled = status === 'running' ? [] : await cancelCommands(db, { id }, { error: null, now })
    audit({ target: deviceId, name, orgId, partnerId, details: { commandId: id, type: before.type, was: status } })
    after(() => deliverCancel(services, before))
    after(() => tellOfCommands(services, cancelled, () => ({ orgId, siteId, partnerId })))
    return cancelled[0] ?? before
  },

  async bulk(call) {
    const { caller, input, db, services, audit } = call
    const { deviceIds, ...asked } = input
    const order = orderOf(caller, asked, services.clock.now())
    const wanted = new Set(deviceIds)
    const targets = new Map((await targetsOf(db, caller, [...wanted])).map((target) => [target.id, target]))
    const { commands, skipped } = await issueToAll(call, [...targets.values()], order)
    for (const { id: commandId, deviceId, orgId } of commands) {
      const target = targets.get(deviceId)
      const details = { commandId, type: order.type, risk: commandType(order.type).risk, devices: commands.length }
      audit({ target: deviceId, name: target?.hostname, orgId, partnerId: target?.partnerId, details })
    }
    deliverAfter(call, commands, [...targets.values()])
    const { code, message } = notFound('Device')
    const failed = [...wanted].filter((id) => !targets.has(id)).map((deviceId) => ({ deviceId, code, message }))
    return { commands: [...commands], skipped: [...skipped], failed }
  },
})
