// Creates commands for devices that can run them, in the transaction of the request.
import { randomUUID } from 'node:crypto'
import { AppError, conflict, type ErrorCode, invalid } from '@muster/kit/errors.ts'
import { takesSecrets } from '@muster/wire/commands/scripts.ts'
import { WireError } from '@muster/wire/frame.ts'
import { signedOrdersProtocol } from '@muster/wire/version.ts'
import type { Capability } from '../../../fleet/devices/state/capabilities.rules.ts'
import type { Call } from '../../../operation.ts'
import { requireWorking } from '../../../tenancy/tenancy/index.ts'
import { secretsOfDevices } from '../../secrets/index.ts'
import type { AgentLimits } from '../area.settings.ts'
import { commandType } from '../command-registry.ts'
import type { Command, CommandName, SkipReason } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import { commandRefusal, incapacity } from '../commands.rules.ts'
import { type IssuedCommand, plainFrameOf } from '../delivery/command-frame.ts'
import { grantScript, grantScripts } from '../grants/script-grants.ts'
import { requireDelivery } from '../stops/stops.ts'
import { countHeldCommands, heldCommands, requirePermitted } from './held-commands.ts'
import { inabilityWords } from './inability-words.ts'
import { begin, insertCommands } from './insert-commands.ts'
import type { CommandOrder } from './validate-order.ts'

/** All payloads of one request. A larger command needs several requests. */
const bulkBytesMax = 64 * 1024 * 1024

const messages: Readonly<Record<SkipReason, string>> = {
  already_pending: 'The same command is already pending for this device',
  provisioned: 'The device has not enrolled yet',
  quarantined: 'The device is quarantined',
  decommissioned: 'The device is decommissioned',
  organization_suspended: 'Organization is suspended',
  agent_too_old: 'The agent of this device is too old for this command',
  unsupported_platform: 'The operating system of this device does not support this command',
  missing_tool: 'A program that this command needs is not installed on the device',
  not_permitted: 'The agent of this device has no permission for this command',
  maintenance: 'A maintenance window holds scripts back on this device',
  missing_secret: 'A secret that the script names does not exist for this device',
  scripts_not_allowed: 'A configuration policy does not allow scripts on this device',
  set_by_policy: 'A configuration policy decides on this device whether the agent updates itself',
}
const codes: Readonly<Partial<Record<SkipReason, ErrorCode>>> = {
  agent_too_old: 'AGENT_TOO_OLD',
  unsupported_platform: 'UNSUPPORTED_PLATFORM',
  missing_tool: 'MISSING_TOOL',
  not_permitted: 'NOT_PERMITTED',
  maintenance: 'IN_MAINTENANCE',
}

interface Content {
  readonly type: CommandName
  readonly payload: Readonly<Record<string, unknown>>
}

function capabilitiesFor({ type, payload }: Content): readonly Capability[] {
  const { needs } = commandType(type)
  return needs === undefined ? [type] : [type, ...needs(payload)]
}

/** Why a device does not receive such a command; null if it does. */
export function refusalOf(target: Target, content: Content, { unsignedAgentsUntilMs }: AgentLimits): SkipReason | null {
  const { lifecycle, organizationStatus, agentProtocol } = target
  const { minAgentVersion } = commandType(content.type)
  const required = { minAgentVersion, capabilities: capabilitiesFor(content) }
  const refusal =
    commandRefusal(lifecycle, organizationStatus) ?? policyRefusal(target, content) ?? incapacity(target, required)
  if (refusal !== null || agentProtocol === null || agentProtocol >= signedOrdersProtocol) return refusal
  return Date.now() < (unsignedAgentsUntilMs ?? Number.POSITIVE_INFINITY) ? null : 'agent_too_old'
}

/** Why the policies of the device do not permit such a command; null if they do. */
function policyRefusal({ scriptsAllowed, policyAutoUpdate }: Target, { type }: Content): SkipReason | null {
  if (type === 'run_script' && scriptsAllowed === false) return 'scripts_not_allowed'
  return type === 'set_auto_update' && policyAutoUpdate !== null ? 'set_by_policy' : null
}

/** @throws if the device receives no commands, or not such a one */
export function requireCapable(target: Target, content: Content, settings: AgentLimits): void {
  requireWorking({ status: target.organizationStatus })
  const refusal = refusalOf(target, content, settings)
  if (refusal === null) return
  const words = inabilityWords(target, capabilitiesFor(content)) ?? messages[refusal]
  throw new AppError(codes[refusal] ?? 'CONFLICT', codes[refusal] === undefined ? messages[refusal] : words)
}

/** Created commands, and the frames that are encoded already, by command ID. */
export interface Issued {
  readonly commands: readonly IssuedCommand[]
  readonly frames: ReadonlyMap<string, Uint8Array>
}

/** @throws PAYLOAD_TOO_LARGE when the command does not fit into a frame */
function issued(commands: readonly IssuedCommand[], deviceEnv: CommandOrder['deviceEnv'] = new Map()): Issued {
  // Commands of an order differ in nothing but the variables of their devices, so the largest one tells whether all fit.
  const size = ({ deviceId }: Command) => JSON.stringify(deviceEnv.get(deviceId) ?? {}).length
  const [first] = deviceEnv.size === 0 ? commands : commands.toSorted((one, other) => size(other) - size(one))
  const frame = first === undefined ? undefined : sendableFrame(first)
  return { commands, frames: new Map(first === undefined || frame === undefined ? [] : [[first.id, frame]]) }
}

function sendableFrame(command: IssuedCommand): Uint8Array | undefined {
  try {
    return plainFrameOf(command)
  } catch (error) {
    if (error instanceof WireError) throw new AppError('PAYLOAD_TOO_LARGE', 'The payload does not fit into one message')
    throw error
  }
}

/**
 * Creates a command for one device, in one message with the checks. It is written before it is judged: every error has to
 * end the transaction.
 * @throws first the error of `judge`, then if the device receives no commands, or not a second one of this type
 */
export async function issueBeforeJudging(
  { db, services }: Pick<Call, 'db' | 'services'>,
  deviceId: string,
  order: CommandOrder,
  judge: () => Promise<Target>,
): Promise<Issued & { readonly target: Target; readonly command: Command }> {
  const recipient = { commandId: randomUUID(), deviceId }
  const grant = grantScript(services, order, recipient)
  const secretIds = (await secretsOfDevices(db, [deviceId], order)).get(deviceId.toLowerCase()) ?? null
  const [judged, delivery, held, inserted] = await Promise.allSettled([
    judge(),
    requireDelivery(db, { deviceId }),
    heldCommands(db, [deviceId], order),
    insertCommands(db, order, [{ ...recipient, grant, secretIds }]),
  ])
  const target = settled(judged)
  requireCapable(target, order, services.settings)
  if (takesSecrets(order.payload) && secretIds === null) throw invalid(`payload.secrets: ${messages.missing_secret}`)
  settled(delivery)
  await requirePermitted(services, order.type, settled(held).get(deviceId))
  const commands = settled(inserted)
  const [command] = commands
  if (command === undefined) throw conflict(messages.already_pending, 'ALREADY_PENDING')
  return { ...issued(commands), target, command }
}

function settled<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

export interface IssuedToAll extends Issued {
  readonly skipped: readonly { readonly deviceId: string; readonly reason: SkipReason }[]
}

/** Creates a command for each device that can run it, and lists why the other devices are skipped. */
export async function issueToAll(
  call: Pick<Call, 'db' | 'services'>,
  targets: readonly Target[],
  order: CommandOrder,
): Promise<IssuedToAll> {
  const refusals = new Map<string, SkipReason | null>(
    targets.map((target) => [target.id, refusalOf(target, order, call.services.settings)]),
  )
  const capable = targets.filter(({ id }) => refusals.get(id) === null)
  const held = await heldCommands(
    call.db,
    capable.map(({ id }) => id),
    order,
  )
  for (const deviceId of held.keys()) refusals.set(deviceId, 'maintenance')
  const secrets = await secretsOfDevices(
    call.db,
    capable.map(({ id }) => id),
    order,
  )
  const lacking = takesSecrets(order.payload) ? capable.filter(({ id }) => !held.has(id) && !secrets.has(id)) : []
  for (const { id } of lacking) refusals.set(id, 'missing_secret')
  const able = capable.filter(({ id }) => refusals.get(id) === null)
  await countHeldCommands(call.db, order.type, held)
  if (JSON.stringify(order.payload).length * able.length > bulkBytesMax) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The payload is too large for so many devices at once')
  }
  await requireDelivery(
    call.db,
    able.map(({ partnerId }) => partnerId),
  )
  const deviceIds = able.map(({ id }) => id)
  const grants = await grantScripts(call.services, order, deviceIds)
  const recipients = deviceIds.map((deviceId) => ({
    ...{ commandId: randomUUID(), deviceId },
    grant: grants.get(deviceId) ?? null,
    secretIds: secrets.get(deviceId) ?? null,
  }))
  const commands = await insertCommands(call.db, order, recipients)
  await begin(call.db, call.services.outcomes, order, commands)
  const created = new Set(commands.map(({ deviceId }) => deviceId))
  const skipped = targets
    .filter(({ id }) => !created.has(id))
    .map(({ id: deviceId }) => ({ deviceId, reason: refusals.get(deviceId) ?? ('already_pending' as const) }))
  return { ...issued(commands, order.deviceEnv), skipped }
}
