// How a command comes into being and onto its way: written down in the request's transaction, handed over after the commit.
import { randomUUID } from 'node:crypto'
import { AppError, conflict } from '@muster/kit/errors.ts'
import type { Call } from '../operation.ts'
import { requireWorking } from '../tenancy/index.ts'
import type { Command, SkipReason } from './commands.contract.ts'
import { issueCommands, type Order, type Target } from './commands.queries.ts'
import { deliverCommands, frameBytesOf, tellOfCommands } from './delivery.ts'
import { commandRefusal } from './devices.rules.ts'

/** Payloads of one request together; what is more has to be asked for in several. */
const bulkBytesMax = 64 * 1024 * 1024

const words: Readonly<Record<SkipReason, string>> = {
  already_pending: 'The same command is already pending for this device',
  provisioned: 'The device has not enrolled yet',
  quarantined: 'The device is quarantined',
  decommissioned: 'The device is decommissioned',
  organization_suspended: 'Organization is suspended',
}

/** Issues an order to one device. @throws when the device takes no commands, or not a second one of this type */
export async function issueTo(call: Pick<Call, 'db'>, target: Target, order: Order): Promise<Command> {
  requireWorking({ status: target.organizationStatus })
  const refusal = commandRefusal(target.lifecycle, target.organizationStatus)
  if (refusal !== null) throw conflict(words[refusal])
  const [command] = await issueCommands(call.db, order, [{ commandId: randomUUID(), deviceId: target.id }])
  if (command === undefined) throw conflict(words.already_pending, 'ALREADY_PENDING')
  frameBytesOf(command)
  return command
}

export interface Issued {
  readonly commands: readonly Command[]
  readonly skipped: readonly { readonly deviceId: string; readonly reason: SkipReason }[]
}

/** Issues an order to all of the devices that take it, and says of the others why not. */
export async function issueToAll(call: Pick<Call, 'db'>, targets: readonly Target[], order: Order): Promise<Issued> {
  const refusals = new Map(
    targets.map(({ id, lifecycle, organizationStatus }) => [id, commandRefusal(lifecycle, organizationStatus)]),
  )
  const able = targets.filter(({ id }) => refusals.get(id) === null)
  if (JSON.stringify(order.payload).length * able.length > bulkBytesMax) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The payload is too large for so many devices at once')
  }
  const recipients = able.map(({ id: deviceId }) => ({ commandId: randomUUID(), deviceId }))
  const commands = await issueCommands(call.db, order, recipients)
  const [first] = commands
  if (first !== undefined) frameBytesOf(first)
  const issued = new Set(commands.map(({ deviceId }) => deviceId))
  const skipped = targets
    .filter(({ id }) => !issued.has(id))
    .map(({ id: deviceId }) => ({ deviceId, reason: refusals.get(deviceId) ?? ('already_pending' as const) }))
  return { commands, skipped }
}

/** Once they are committed, tells watchers of the commands and hands them to the devices that are connected. */
export function deliverAfter(
  { services, after }: Pick<Call, 'services' | 'after'>,
  commands: readonly Command[],
  targets: readonly Target[],
): void {
  const places = new Map(targets.map((target) => [target.id, target]))
  after(() => tellOfCommands(services, commands, (deviceId) => places.get(deviceId)))
  after(() => deliverCommands(services, commands))
}
