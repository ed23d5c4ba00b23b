// How a command comes into being and onto its way: written down in the request's transaction, handed over after the commit.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { AppError, conflict, type ErrorCode } from '@muster/kit/errors.ts'
import { SetAutoUpdate } from '@muster/wire/commands/agent.ts'
import { signedOrdersProtocol } from '@muster/wire/version.ts'
import type { Call } from '../../operation.ts'
import type { Settings } from '../../services.ts'
import { requireWorking } from '../../tenancy/tenancy/index.ts'
import { keepSetting, publishSetting } from './auto-update/update-setting.ts'
import { commandType } from './command-registry.ts'
import type { Command, CommandName, SkipReason } from './commands.contract.ts'
import { type IssuedTo, issueCommands, type Order, type Target } from './commands.queries.ts'
import { commandRefusal, incapacity } from './commands.rules.ts'
import { deliverCommands, deliveryOf, frameBytesOf, publishCommands } from './delivery/delivery.ts'
import { requireDelivery } from './stops/stops.ts'

/** Payloads of one request together; what is more has to be asked for in several. */
const bulkBytesMax = 64 * 1024 * 1024

const words: Readonly<Record<SkipReason, string>> = {
  already_pending: 'The same command is already pending for this device',
  provisioned: 'The device has not enrolled yet',
  quarantined: 'The device is quarantined',
  decommissioned: 'The device is decommissioned',
  organization_suspended: 'Organization is suspended',
  agent_too_old: 'The agent of this device is too old for this command',
  unsupported_platform: 'The operating system of this device has nothing of the kind',
}
const codes: Readonly<Partial<Record<SkipReason, ErrorCode>>> = {
  agent_too_old: 'AGENT_TOO_OLD',
  unsupported_platform: 'UNSUPPORTED_PLATFORM',
}

/** Why a device does not get a command of some type; null when it does. */
export function refusalOf(target: Target, type: CommandName, { unsignedAgentsUntilMs }: Settings): SkipReason | null {
  const { lifecycle, organizationStatus, agentProtocol } = target
  const refusal = commandRefusal(lifecycle, organizationStatus) ?? incapacity(target, commandType(type))
  if (refusal !== null || agentProtocol === null || agentProtocol >= signedOrdersProtocol) return refusal
  return Date.now() < (unsignedAgentsUntilMs ?? Number.POSITIVE_INFINITY) ? null : 'agent_too_old'
}

/** @throws when the device takes no commands, or none of this type */
export function requireCapable(target: Target, type: CommandName, settings: Settings): void {
  requireWorking({ status: target.organizationStatus })
  const refusal = refusalOf(target, type, settings)
  if (refusal !== null) throw new AppError(codes[refusal] ?? 'CONFLICT', words[refusal])
}

/** Writes an order down. What tells agents whether to update themselves is kept with their devices as well: offers follow that. */
async function issue(db: Db, order: Order, recipients: readonly IssuedTo[]): Promise<Command[]> {
  if (order.type !== 'set_auto_update') return issueCommands(db, order, recipients)
  const { enabled } = SetAutoUpdate.parse(order.payload)
  const deviceIds = recipients.map(({ deviceId }) => deviceId)
  // At once: of this type a device may have several commands, so none of them is left out.
  const [commands] = await Promise.all([issueCommands(db, order, recipients), keepSetting(db, deviceIds, enabled)])
  return commands
}

/**
 * Issues an order to one device, in the message that asks whether it may be: what must not be goes with the transaction.
 * @throws first what `judge` says of the device, then when it takes no commands, or not a second one of this type
 */
export async function issueTo(
  { db, services }: Pick<Call, 'db' | 'services'>,
  deviceId: string,
  order: Order,
  judge: () => Promise<Target>,
): Promise<{ readonly target: Target; readonly command: Command }> {
  const [judged, delivery, issued] = await Promise.allSettled([
    judge(),
    requireDelivery(db, { deviceId }),
    issue(db, order, [{ commandId: randomUUID(), deviceId }]),
  ])
  const target = settled(judged)
  requireCapable(target, order.type, services.settings)
  settled(delivery)
  return { target, command: sendable(settled(issued)) }
}

function settled<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** The one command of an order to one device. @throws when it was left out, or no frame can carry it */
function sendable([command]: readonly Command[]): Command {
  if (command === undefined) throw conflict(words.already_pending, 'ALREADY_PENDING')
  frameBytesOf(command)
  return command
}

export interface Issued {
  readonly commands: readonly Command[]
  readonly skipped: readonly { readonly deviceId: string; readonly reason: SkipReason }[]
}

/** Issues an order to all of the devices that take it, and says of the others why not. */
export async function issueToAll(
  call: Pick<Call, 'db' | 'services'>,
  targets: readonly Target[],
  order: Order,
): Promise<Issued> {
  const refusals = new Map(targets.map((target) => [target.id, refusalOf(target, order.type, call.services.settings)]))
  const able = targets.filter(({ id }) => refusals.get(id) === null)
  if (JSON.stringify(order.payload).length * able.length > bulkBytesMax) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The payload is too large for so many devices at once')
  }
  await requireDelivery(
    call.db,
    able.map(({ partnerId }) => partnerId),
  )
  const recipients = able.map(({ id: deviceId }) => ({ commandId: randomUUID(), deviceId }))
  const commands = await issue(call.db, order, recipients)
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
  { services, afterCommit }: Pick<Call, 'services' | 'afterCommit'>,
  commands: readonly Command[],
  targets: readonly Target[],
): void {
  const places = new Map(targets.map((target) => [target.id, target]))
  const set = new Set(commands.filter(({ type }) => type === 'set_auto_update').map(({ deviceId }) => deviceId))
  const partnerOf = (deviceId: string) => places.get(deviceId)?.partnerId
  const [only, ...others] = commands
  const deliver =
    only !== undefined && others.length === 0
      ? deliveryOf(services, only, partnerOf(only.deviceId) ?? '')
      : () => deliverCommands(services, commands, partnerOf)
  afterCommit(() =>
    Promise.all([
      deliver(),
      publishCommands(services, commands, (deviceId) => places.get(deviceId)),
      publishSetting(
        services,
        targets.filter(({ id }) => set.has(id)),
      ),
    ]),
  )
}
