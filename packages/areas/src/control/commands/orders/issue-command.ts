// Creates commands for devices that can run them, in the transaction of the request.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { AppError, conflict, type ErrorCode } from '@muster/kit/errors.ts'
import { WireError } from '@muster/wire/frame.ts'
import { signedOrdersProtocol } from '@muster/wire/version.ts'
import { sql } from 'kysely'
import type { Call } from '../../../operation.ts'
import type { Settings } from '../../../services.ts'
import { requireWorking } from '../../../tenancy/tenancy/index.ts'
import { commandType } from '../command-registry.ts'
import type { Command, CommandName, SkipReason } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import { commandRefusal, incapacity } from '../commands.rules.ts'
import { frameOf } from '../delivery/command-frame.ts'
import { requireDelivery } from '../stops/stops.ts'
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
  unsupported_platform: 'The operating system of this device does not support this command or script language',
}
const codes: Readonly<Partial<Record<SkipReason, ErrorCode>>> = {
  agent_too_old: 'AGENT_TOO_OLD',
  unsupported_platform: 'UNSUPPORTED_PLATFORM',
}

interface Content {
  readonly type: CommandName
  readonly payload: Readonly<Record<string, unknown>>
}

/** Why a device does not receive such a command; null if it does. */
export function refusalOf(target: Target, content: Content, { unsignedAgentsUntilMs }: Settings): SkipReason | null {
  const { lifecycle, organizationStatus, agentProtocol } = target
  const { minAgentVersion, platforms } = commandType(content.type)
  const required = { minAgentVersion, platforms: platforms?.(content.payload) }
  const refusal = commandRefusal(lifecycle, organizationStatus) ?? incapacity(target, required)
  if (refusal !== null || agentProtocol === null || agentProtocol >= signedOrdersProtocol) return refusal
  return Date.now() < (unsignedAgentsUntilMs ?? Number.POSITIVE_INFINITY) ? null : 'agent_too_old'
}

/** @throws if the device receives no commands, or not such a one */
export function requireCapable(target: Target, content: Content, settings: Settings): void {
  requireWorking({ status: target.organizationStatus })
  const refusal = refusalOf(target, content, settings)
  if (refusal !== null) throw new AppError(codes[refusal] ?? 'CONFLICT', messages[refusal])
}

interface Recipient {
  readonly commandId: string
  readonly deviceId: string
}

/** Inserts an order for devices, and what is stored with it. Devices that already have such a command are left out. */
async function insertCommands(db: Db, order: CommandOrder, recipients: readonly Recipient[]): Promise<Command[]> {
  const { setting } = commandType(order.type)
  const deviceIds = recipients.map(({ deviceId }) => deviceId)
  const [commands] = await Promise.all([
    insertRows(db, order, recipients),
    setting?.store(db, deviceIds, order.payload),
  ])
  return commands
}

async function insertRows(db: Db, order: CommandOrder, recipients: readonly Recipient[]): Promise<Command[]> {
  const { type, payload, timeoutMs, expiresAt, createdBy, batchId = null, requestKey = null } = order
  const ids = recipients.map(({ commandId }) => commandId)
  const deviceIds = recipients.map(({ deviceId }) => deviceId)
  // updated_at is the time of the statement: in a long transaction now() is so old that the sweep would send the command
  // again. Devices are locked, in order: two requests do not deadlock, and a device that moves gets the command in its new
  // organization or not at all.
  const { rows } = await sql<Command>`
    INSERT INTO device_commands (id, device_id, org_id, partner_id, type, payload, timeout_ms, expires_at, created_by,
      batch_id, request_key, updated_at)
    SELECT given.id, devices.id, devices.org_id, devices.partner_id,
           ${type}, ${JSON.stringify(payload)}::jsonb, ${timeoutMs}::int, ${expiresAt}::timestamptz, ${createdBy}::uuid,
           ${batchId}::uuid, ${requestKey}, clock_timestamp()
    FROM unnest(${ids}::uuid[], ${deviceIds}::uuid[]) AS given (id, device_id) JOIN devices ON devices.id = given.device_id
    ORDER BY devices.id FOR KEY SHARE OF devices
    ON CONFLICT DO NOTHING
    RETURNING *`.execute(db)
  return rows
}

/** Created commands, and the frames that are encoded already, by command ID. */
export interface Issued {
  readonly commands: readonly Command[]
  readonly frames: ReadonlyMap<string, Uint8Array>
}

/** @throws PAYLOAD_TOO_LARGE when the command does not fit into a frame */
function issued(commands: readonly Command[]): Issued {
  const [first] = commands
  // All commands of an order have the same size, so one frame tells whether they fit.
  return { commands, frames: new Map(first === undefined ? [] : [[first.id, sendableFrame(first)]]) }
}

function sendableFrame(command: Command): Uint8Array {
  try {
    return frameOf(command)
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
  const [judged, delivery, inserted] = await Promise.allSettled([
    judge(),
    requireDelivery(db, { deviceId }),
    insertCommands(db, order, [{ commandId: randomUUID(), deviceId }]),
  ])
  const target = settled(judged)
  requireCapable(target, order, services.settings)
  settled(delivery)
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
  const refusals = new Map(targets.map((target) => [target.id, refusalOf(target, order, call.services.settings)]))
  const able = targets.filter(({ id }) => refusals.get(id) === null)
  if (JSON.stringify(order.payload).length * able.length > bulkBytesMax) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The payload is too large for so many devices at once')
  }
  await requireDelivery(
    call.db,
    able.map(({ partnerId }) => partnerId),
  )
  const recipients = able.map(({ id: deviceId }) => ({ commandId: randomUUID(), deviceId }))
  const commands = await insertCommands(call.db, order, recipients)
  const created = new Set(commands.map(({ deviceId }) => deviceId))
  const skipped = targets
    .filter(({ id }) => !created.has(id))
    .map(({ id: deviceId }) => ({ deviceId, reason: refusals.get(deviceId) ?? ('already_pending' as const) }))
  return { ...issued(commands), skipped }
}
