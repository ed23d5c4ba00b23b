import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { type Page, type Paged, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Condition } from '../../fleet/devices/devices.rules.ts'
import { visibleDevices } from '../../fleet/devices/index.ts'
import { type Reach, within } from '../../tenancy/tenancy/index.ts'
import type {
  BatchCommand,
  BatchProgress,
  Command,
  CommandStatus,
  CommandSummary,
  QueuedCommand,
} from './commands.contract.ts'
import { hasEnded } from './commands.rules.ts'

export const summaryColumns = [
  'command.id',
  'command.deviceId',
  'command.orgId',
  'command.type',
  'command.status',
  'command.exitCode',
  'command.error',
  'command.timeoutMs',
  'command.createdBy',
  'command.batchId',
  'command.createdAt',
  'command.sentAt',
  'command.startedAt',
  'command.finishedAt',
  'command.expiresAt',
  'command.updatedAt',
] as const

/** What is needed of a device to send it commands. */
export interface Target {
  readonly id: string
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
  readonly hostname: string
  readonly lifecycle: Condition['lifecycle']
  readonly organizationStatus: 'active' | 'suspended' | 'trial' | 'churned'
  readonly osType: string | null
  readonly agentVersion: string | null
  /** The version of the protocol that it spoke last; null while that is not known. */
  readonly agentProtocol: number | null
  /** What its agent can do, as it said when it last connected. */
  readonly capabilities: string | null
  /** What configuration policies set; null where none does. */
  readonly scriptsAllowed: boolean | null
  readonly policyAutoUpdate: boolean | null
}

/** The devices that the caller sees. */
export const targetsOf = (db: Db, caller: Reach, deviceIds: readonly string[]): Promise<Target[]> =>
  targetsWhere(db, caller, sql<SqlBool>`devices.id = ANY (${[...deviceIds]}::uuid[])`, deviceIds.length)

/** The devices that meet a condition and that the caller sees, up to a limit. */
export const targetsWhere = (db: Db, caller: Reach, condition: Expression<SqlBool>, limit: number): Promise<Target[]> =>
  db
    .selectFrom('devices')
    .innerJoin('organizations', 'organizations.id', 'devices.orgId')
    .leftJoin('deviceState as state', 'state.deviceId', 'devices.id')
    .leftJoin('deviceSettings', 'deviceSettings.deviceId', 'devices.id')
    .where(visibleDevices(caller))
    .where(condition)
    .orderBy('devices.id')
    .limit(limit)
    .select(['devices.id', 'devices.orgId', 'devices.partnerId', 'devices.siteId', 'devices.hostname'])
    .select([
      'devices.lifecycle',
      'organizations.status as organizationStatus',
      'devices.osType',
      'devices.agentVersion',
      'devices.agentProtocol',
      'devices.capabilities',
      'deviceSettings.scriptsAllowed',
      'deviceSettings.autoUpdate as policyAutoUpdate',
    ])
    .execute()

/** @throws NOT_FOUND */
export async function targetById(db: Db, caller: Caller, deviceId: string): Promise<Target> {
  const [target] = await targetsOf(db, caller, [deviceId])
  if (target === undefined) throw notFound('Device')
  return target
}

/** Partners, by their ids or by a device of theirs that has not been looked up yet. */
export type Partners = readonly string[] | { readonly deviceId: string }

/** That a column names one of the partners. */
export const isOneOfPartners = (column: string, partners: Partners): RawBuilder<SqlBool> =>
  'deviceId' in partners
    ? sql`${sql.ref(column)} = (SELECT d.partner_id FROM devices d WHERE d.id = ${partners.deviceId})`
    : sql`${sql.ref(column)} = ANY (${[...new Set(partners)]}::uuid[])`

/** The commands of a request that was made before. */
export const commandsOfRequest = (requestKey: string): RawBuilder<Command> =>
  sql`SELECT * FROM device_commands WHERE request_key = ${requestKey} ORDER BY device_id`

/** How the commands of a request stand. @throws NOT_FOUND when none of their devices is in sight */
export async function progressOf(db: Db, caller: Caller, batchId: string): Promise<BatchProgress> {
  const rows = await db
    .selectFrom('deviceCommands as command')
    .innerJoin('devices', 'devices.id', 'command.deviceId')
    .where(visibleDevices(caller))
    .where(within(caller, 'command.orgId', 'command.partnerId'))
    .where('command.batchId', '=', batchId)
    .groupBy(['command.type', 'command.status'])
    .select(['command.type', 'command.status'])
    .select((eb) => [eb.fn.min('command.createdAt').as('createdAt'), eb.fn.countAll<number>().as('count')])
    .execute()
  const [first] = rows
  if (first === undefined) throw notFound('Batch')
  const byStatus = Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const ended = rows.reduce((sum, { status, count }) => sum + (hasEnded(status) ? count : 0), 0)
  const createdAt = rows.map((row) => row.createdAt).sort()[0] ?? first.createdAt
  return { batchId, type: first.type, createdAt, total, ended, byStatus }
}

interface BatchListing {
  readonly status: readonly CommandStatus[] | undefined
  readonly limit: number
  readonly offset: number
}

/** A page of the commands of a request, with their devices, by name of the device. */
export const commandsOfBatch = (
  db: Db,
  caller: Caller,
  batchId: string,
  { status, limit, offset }: BatchListing,
): Promise<BatchCommand[]> =>
  db
    .selectFrom('deviceCommands as command')
    .innerJoin('devices', 'devices.id', 'command.deviceId')
    .innerJoin('organizations', 'organizations.id', 'devices.orgId')
    .where(visibleDevices(caller))
    .where(within(caller, 'command.orgId', 'command.partnerId'))
    .where('command.batchId', '=', batchId)
    .$if(status !== undefined, (query) => query.where(isOneOf('command.status', status ?? [])))
    .select([...summaryColumns, 'devices.hostname', 'devices.displayName', 'organizations.name as orgName'])
    .orderBy('devices.hostname')
    .orderBy('command.id')
    .limit(limit)
    .offset(offset)
    .execute()

const visibleCommands = (db: Db, caller: Caller, deviceId: string) =>
  db
    .selectFrom('deviceCommands as command')
    .innerJoin('devices', 'devices.id', 'command.deviceId')
    .where(visibleDevices(caller))
    .where(within(caller, 'command.orgId', 'command.partnerId'))
    .where('command.deviceId', '=', deviceId)

export interface CommandFilters {
  readonly status?: readonly CommandStatus[] | undefined
  readonly type?: QueuedCommand | undefined
}

/** A page of a device's commands, newest first. */
export function listCommands(
  db: Db,
  caller: Caller,
  deviceId: string,
  { status, type }: CommandFilters,
  page: Page,
): Promise<Paged<CommandSummary>> {
  const chosen = visibleCommands(db, caller, deviceId)
    .$if(status !== undefined, (query) => query.where(isOneOf('command.status', status ?? [])))
    .$if(type !== undefined, (query) => query.where('command.type', '=', type ?? ''))
  return paged(chosen.select(summaryColumns).orderBy('command.createdAt', 'desc').orderBy('command.id'), page)
}

/** @throws NOT_FOUND */
export async function commandById(db: Db, caller: Caller, deviceId: string, id: string): Promise<Command> {
  const command = await visibleCommands(db, caller, deviceId)
    .where('command.id', '=', id)
    .select(summaryColumns)
    .select(['command.payload', 'command.result', 'command.stdout', 'command.stderr'])
    .executeTakeFirst()
  if (command === undefined) throw notFound('Command')
  return command
}

export type LockedCommand = CommandSummary & Pick<Target, 'partnerId' | 'siteId' | 'hostname'>

/** Locks the command until the transaction ends. @throws NOT_FOUND */
export async function lockCommand(db: Db, caller: Caller, deviceId: string, id: string): Promise<LockedCommand> {
  const command = await visibleCommands(db, caller, deviceId)
    .where('command.id', '=', id)
    .select(summaryColumns)
    .select(['devices.partnerId', 'devices.siteId', 'devices.hostname'])
    .forUpdate('command')
    .executeTakeFirst()
  if (command === undefined) throw notFound('Command')
  return command
}
