// Creates commands of plans, in a transaction of the worker. What a request refuses with an error is a reason here, because
// the plan goes on with the other devices.
import { randomUUID } from 'node:crypto'
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { takesSecrets } from '@muster/wire/commands/scripts.ts'
import { WireError } from '@muster/wire/frame.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { recordAsSystem } from '../../../platform/audit/index.ts'
import { type SecretIds, secretsOfDevices } from '../../secrets/index.ts'
import { bulkNotes } from '../bulk/bulk-audit.ts'
import { commandType } from '../command-registry.ts'
import type { CommandStatus, SkipReason } from '../commands.contract.ts'
import { type Target, targetsOf } from '../commands.queries.ts'
import { plainFrameOf } from '../delivery/command-frame.ts'
import { deliverInBackground, portionOf } from '../delivery/deliver-in-background.ts'
import { grantsOfPlan } from '../grants/plan-grants.ts'
import type { Origin } from '../plans/origin.contract.ts'
import type { PlanOwner } from '../plans/owner.contract.ts'
import { reachOfOwner } from '../plans/owner.ts'
import { stoppedPartners } from '../stops/stops.ts'
import { payloadFor } from './device-payload.ts'
import { heldCommands } from './held-commands.ts'
import { begin, insertCommands, type Recipient } from './insert-commands.ts'
import { refusalOf } from './issue-command.ts'
import { requestKeyOfOrigin } from './request-key.ts'
import type { CommandOrder } from './validate-order.ts'

/** A command of a plan. It was validated when the plan was made. */
export interface BackgroundOrder
  extends Pick<CommandOrder, 'type' | 'payload' | 'timeoutMs' | 'expiresAt' | 'respectMaintenance' | 'deviceEnv'> {
  readonly origin: Origin
  /** The commands are in this user's name, and only for devices that the user reaches now. */
  readonly owner: PlanOwner
  readonly batchId?: string
  readonly subject?: CommandOrder['subject']
  /** The variables that the grant of the script leaves open. */
  readonly perDevice?: readonly string[]
}

/**
 * Why a device gets no command now. `maintenance`, `commands_stopped` and `organization_suspended` pass with time.
 * `no_grant`: the script is not the one that was allowed.
 */
export type BackgroundSkip =
  | SkipReason
  | 'commands_stopped'
  | 'no_grant'
  | 'out_of_reach'
  | 'owner_not_permitted'
  | 'too_large'

export interface IssuedInBackground {
  /** Of this origin, also those that existed before. */
  readonly commands: readonly { readonly id: string; readonly deviceId: string; readonly status: CommandStatus }[]
  readonly skipped: readonly { readonly deviceId: string; readonly reason: BackgroundSkip }[]
  /** Sends the commands. If it does not run, they are sent some seconds later. */
  readonly afterCommit: () => Promise<void>
}

/**
 * Creates a command for each device that can run it now. A device has one command per origin, so issuing twice creates
 * nothing more.
 * @param db of the system login
 */
export async function issueInBackground(
  db: Db,
  parts: WorkerParts,
  given: BackgroundOrder,
  wanted: readonly string[],
): Promise<IssuedInBackground> {
  const order = orderOf(given)
  const deviceIds = [...new Set(wanted)]
  const reach = await reachOfOwner(db, given.owner, [commandType(order.type).permission])
  const targets = reach === null ? [] : await targetsOf(db, reach, deviceIds)
  const { recipients, reasons } = await judged(db, parts, given, targets)
  const created = await insertInPortions(db, parts, order, recipients)
  const made = new Set(created.map(({ deviceId }) => deviceId))
  const left = deviceIds.filter((id) => !made.has(id))
  const known = await commandsOfOrigin(db, order.requestKey, left)
  const has = new Set(known.map(({ deviceId }) => deviceId))
  const missing = reach === null ? 'owner_not_permitted' : 'out_of_reach'
  const isTarget = new Set(targets.map(({ id }) => id))
  const why = (id: string) => (isTarget.has(id) ? (reasons.get(id) ?? 'already_pending') : missing)
  const { type, origin, owner, subject, batchId = origin.id } = given
  const batch = { type, batchId, origin, owner: owner.userId, ...(subject === undefined ? {} : { subject }) }
  await recordAsSystem(db, bulkNotes(created, targets, batch))
  return {
    commands: [...created.map(({ id, deviceId, status }) => ({ id, deviceId, status })), ...known],
    skipped: left.filter((id) => !has.has(id)).map((deviceId) => ({ deviceId, reason: why(deviceId) })),
    afterCommit: () => deliverInBackground(parts, order, created, targets),
  }
}

const orderOf = ({
  origin,
  owner,
  perDevice: _,
  ...given
}: BackgroundOrder): CommandOrder & { requestKey: string } => ({
  ...given,
  createdBy: owner.userId,
  byOrganization: isOrganization(owner),
  requestKey: requestKeyOfOrigin(origin),
  plan: origin,
})

const isOrganization = ({ place }: PlanOwner): boolean => place.scope === 'organization'

type Reasons = ReadonlyMap<string, BackgroundSkip>

/** The devices that get the command, and why the others do not. */
async function judged(db: Db, { settings }: WorkerParts, given: BackgroundOrder, targets: readonly Target[]) {
  const reasons = new Map<string, BackgroundSkip>()
  const left = () => targets.filter(({ id }) => !reasons.has(id))
  const ids = () => left().map(({ id }) => id)
  const partnerIds = [...new Set(targets.map(({ partnerId }) => partnerId))]
  const [stopped, suspended] = await Promise.all([stoppedPartners(db, partnerIds), suspendedPartners(db, partnerIds)])
  for (const target of targets) {
    const reason = stopped.has(target.partnerId)
      ? 'commands_stopped'
      : suspended.has(target.partnerId)
        ? 'organization_suspended'
        : refusalOf(target, given, settings)
    if (reason !== null) reasons.set(target.id, reason)
  }
  for (const id of (await heldCommands(db, ids(), given)).keys()) reasons.set(id, 'maintenance')
  const secrets = await secretsFor(db, given, ids())
  if (secrets !== null) for (const id of ids()) if (!secrets.has(id)) reasons.set(id, 'missing_secret')
  const grants = await grantsFor(db, given, ids())
  if (grants !== null) for (const id of ids()) if (!grants.has(id)) reasons.set(id, 'no_grant')
  const recipients = left().map(({ id: deviceId }) => ({
    ...{ commandId: randomUUID(), deviceId },
    grant: grants?.get(deviceId) ?? null,
    secretIds: secrets?.get(deviceId) ?? null,
  }))
  if (fitsIntoFrame(given, recipients)) return { recipients, reasons: reasons as Reasons }
  for (const { deviceId } of recipients) reasons.set(deviceId, 'too_large')
  return { recipients: [], reasons: reasons as Reasons }
}

/** Partners whose people cannot sign in now, so that nothing is done in their names. */
async function suspendedPartners(db: Db, partnerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('partners')
    .select('id')
    .where(isOneOf('id', partnerIds))
    .where('status', '<>', 'active')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The grants of a script; null for other commands, which need none. */
async function grantsFor(db: Db, given: BackgroundOrder, deviceIds: readonly string[]) {
  const { type, origin, deviceEnv, perDevice = [] } = given
  if (type !== 'run_script') return null
  const isSigned = (id: string) => Object.keys(deviceEnv?.get(id) ?? {}).every((name) => perDevice.includes(name))
  return grantsOfPlan(db, origin, given, deviceIds.filter(isSigned))
}

/** The secrets of each device that has all; null for commands that take none. */
async function secretsFor(
  db: Db,
  { payload, owner }: BackgroundOrder,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, SecretIds> | null> {
  if (!takesSecrets(payload)) return null
  return secretsOfDevices(db, deviceIds, { payload, byOrganization: isOrganization(owner) })
}

/** Whether the largest of the commands fits into a frame. They differ in nothing but the variables of their devices. */
function fitsIntoFrame({ deviceEnv, expiresAt, ...order }: BackgroundOrder, recipients: readonly Recipient[]): boolean {
  const size = ({ deviceId }: Recipient) => JSON.stringify(deviceEnv?.get(deviceId) ?? {}).length
  const [largest] = deviceEnv === undefined ? recipients : recipients.toSorted((one, other) => size(other) - size(one))
  if (largest === undefined) return true
  const { commandId: id, deviceId, grant: scriptGrant, secretIds } = largest
  const payload = payloadFor({ payload: order.payload, ...(deviceEnv === undefined ? {} : { deviceEnv }) }, deviceId)
  const { type, timeoutMs } = order
  try {
    plainFrameOf({ id, deviceId, type, payload, timeoutMs, expiresAt, scriptGrant, secretIds })
    return true
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

/** Bounds the memory: each created command is returned with its payload. */
async function insertInPortions(
  db: Db,
  { outcomes }: WorkerParts,
  order: CommandOrder,
  recipients: readonly Recipient[],
) {
  const created = []
  const portion = portionOf(order)
  for (let start = 0; start < recipients.length; start += portion) {
    const commands = await insertCommands(db, order, recipients.slice(start, start + portion))
    await begin(db, outcomes, order, commands)
    for (const { id, deviceId, orgId, type, status, exitCode } of commands)
      created.push({ id, deviceId, orgId, type, status, exitCode })
  }
  return created
}

const commandsOfOrigin = (db: Db, requestKey: string, deviceIds: readonly string[]) =>
  deviceIds.length === 0
    ? []
    : db
        .selectFrom('deviceCommands')
        .where('requestKey', '=', requestKey)
        .where(isOneOf('deviceId', deviceIds))
        .select(['id', 'deviceId', 'status'])
        .execute()
