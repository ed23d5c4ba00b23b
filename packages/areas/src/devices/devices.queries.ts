import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { within } from '../tenancy/index.ts'
import type { Device, DeviceDetail, DeviceSort, DeviceStatus, ListInput, MetricPoint } from './devices.contract.ts'
import { type Condition, deviceStatus, percent, updateTimeoutMs } from './devices.rules.ts'
import { visibleDevices } from './visibility.ts'

type Stored = Omit<Device, 'status' | 'memoryPercent' | 'diskPercent'> & Condition

/** A row of the database as a device of the contract. */
export function asDevice<Row extends Stored>(row: Row, nowMs: number) {
  return {
    ...row,
    status: deviceStatus(row, nowMs),
    memoryPercent: percent(row.memoryUsed, row.memoryTotal),
    diskPercent: percent(row.diskUsed, row.diskTotal),
  }
}

export const deviceColumns = [
  'devices.id',
  'devices.orgId',
  'devices.siteId',
  'devices.hostname',
  'devices.displayName',
  'devices.lifecycle',
  'devices.osType',
  'devices.osName',
  'devices.osVersion',
  'devices.architecture',
  'devices.agentVersion',
  'devices.enrolledAt',
  'devices.tags',
  'devices.autoUpdate',
  'devices.createdAt',
  'devices.updatedAt',
] as const

export const stateColumns = [
  'state.status as connection',
  'state.updatingSince',
  'state.lastSeenAt',
  'state.cpuPercent',
  'state.memoryUsed',
  'state.memoryTotal',
  'state.diskUsed',
  'state.diskTotal',
  'state.uptimeSeconds',
  'state.mainAgentSilentSince',
  'state.watchdogStatus',
] as const

const visible = (db: Db, caller: Caller) => db.selectFrom('devices').where(visibleDevices(caller))
const visibleWithState = (db: Db, caller: Caller) =>
  visible(db, caller).leftJoin('deviceState as state', 'state.deviceId', 'devices.id')

/** Where in the order a page starts: the sort key and id of the row before it. */
export interface Position {
  readonly key: string
  readonly id: string
}

export interface Listing {
  readonly filters: Pick<
    ListInput,
    'orgIds' | 'siteIds' | 'groupIds' | 'orgId' | 'siteId' | 'status' | 'search' | 'includeDecommissioned'
  >
  readonly sort: DeviceSort
  readonly sortDir: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
  readonly after: Position | null
}

// Each has an index to go by, but the last: what every heartbeat changes has none, so that order is made by sorting.
const sortKeys = {
  hostname: { key: sql<string>`devices.hostname`, type: sql`text` },
  enrolled: { key: sql<string>`coalesce(devices.enrolled_at, devices.created_at)`, type: sql`timestamptz` },
  lastSeen: { key: sql<string>`coalesce(state.last_seen_at, '-infinity')`, type: sql`timestamptz` },
} as const

/** The decision of `deviceStatus` as a condition, in plain comparisons whose yield the planner can estimate. */
function statusIn(statuses: readonly DeviceStatus[], nowMs: number) {
  const since = new Date(nowMs - updateTimeoutMs).toISOString()
  const conditions: Record<DeviceStatus, RawBuilder<SqlBool>> = {
    online: sql`devices.lifecycle = 'active' AND state.status = 'online'`,
    offline: sql`devices.lifecycle = 'active' AND (state.status = 'offline' OR state.status IS NULL
      OR state.status = 'updating' AND state.updating_since <= ${since})`,
    updating: sql`devices.lifecycle = 'active' AND state.status = 'updating'
      AND (state.updating_since IS NULL OR state.updating_since > ${since})`,
    provisioned: sql`devices.lifecycle = 'provisioned'`,
    quarantined: sql`devices.lifecycle = 'quarantined'`,
    decommissioned: sql`devices.lifecycle = 'decommissioned'`,
  }
  const any = sql.join([sql`false`, ...new Set(statuses.map((status) => conditions[status]))], sql` OR `)
  return sql<SqlBool>`(${any})`
}

// A single value is compared plainly, because for that the planner finds the ordered index.
const oneOf = (ids: readonly string[]) =>
  ids.length === 1 ? sql<string>`${ids[0]}` : sql<string>`ANY (${[...ids]}::uuid[])`

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')

interface Selection {
  readonly filters: Listing['filters']
  /** An unneeded join would keep a count from being read off an index alone. */
  readonly withState: boolean
  readonly nowMs: number
}

function filtered(db: Db, caller: Caller, { filters, withState, nowMs }: Selection) {
  const { orgIds, orgId, siteIds, siteId, groupIds, status, search } = filters
  const orgs = orgId === undefined ? orgIds : [orgId]
  const sites = siteId === undefined ? siteIds : [siteId]
  const withDecommissioned = filters.includeDecommissioned === true || status?.includes('decommissioned') === true
  const like = `%${escaped(search ?? '')}%`
  return (
    visible(db, caller)
      .$if(withState || status !== undefined, (query) =>
        query.leftJoin('deviceState as state', 'state.deviceId', 'devices.id'),
      )
      .$if(orgs !== undefined, (query) => query.where('devices.orgId', '=', oneOf(orgs ?? [])))
      .$if(sites !== undefined, (query) => query.where('devices.siteId', '=', oneOf(sites ?? [])))
      .$if(groupIds !== undefined, (query) =>
        query.where(
          sql<SqlBool>`devices.id IN (SELECT m.device_id FROM device_group_members m WHERE m.group_id = ANY (${groupIds}::uuid[]))`,
        ),
      )
      // Written out, because the index of devices in use serves only who says this very condition.
      .$if(!withDecommissioned, (query) => query.where(sql<SqlBool>`devices.lifecycle <> 'decommissioned'`))
      .$if(status !== undefined, (query) => query.where(statusIn(status ?? [], nowMs)))
      .$if(search !== undefined && search !== '', (query) =>
        query.where((eb) => eb.or([eb('devices.hostname', 'ilike', like), eb('devices.displayName', 'ilike', like)])),
      )
  )
}

export type ListedDevice = Stored & { readonly sortKey: string }

// The planner must know the limit to see that walking an index beats sorting, and few texts of a statement keep their plans:
// so the limit is written into the statement, rounded up to one of these.
const steps = [51, 101, 201, 501, 1_001]

/** One page of the devices that a caller sees. The state is read for the rows of the page alone. */
export async function listDevices(db: Db, caller: Caller, listing: Listing, nowMs: number): Promise<ListedDevice[]> {
  const { sort, sortDir, after } = listing
  const { key, type } = sortKeys[sort]
  const beyond = sql.raw(sortDir === 'asc' ? '>' : '<')
  const page = filtered(db, caller, { filters: listing.filters, withState: sort === 'lastSeen', nowMs })
    .select(['devices.id', key.as('orderKey')])
    .$if(after !== null, (query) =>
      query.where(sql<SqlBool>`(${key}, devices.id) ${beyond} (${after?.key}::${type}, ${after?.id}::uuid)`),
    )
    .orderBy(key, sortDir)
    .orderBy('devices.id', sortDir)
    .limit(sql.lit(steps.find((step) => step >= listing.limit) ?? listing.limit))
    .$if(listing.offset > 0, (query) => query.offset(listing.offset))
  const rows = await db
    .selectFrom(page.as('page'))
    .innerJoin('devices', 'devices.id', 'page.id')
    .leftJoin('deviceState as state', 'state.deviceId', 'page.id')
    .select(deviceColumns)
    .select(stateColumns)
    .select(sql<string>`page.order_key::text`.as('sortKey'))
    .orderBy('page.orderKey', sortDir)
    .orderBy('page.id', sortDir)
    .execute()
  return rows.slice(0, listing.limit)
}

export async function countDevices(
  db: Db,
  caller: Caller,
  filters: Listing['filters'],
  nowMs: number,
): Promise<number> {
  const { total } = await filtered(db, caller, { filters, withState: false, nowMs })
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** A device in the caller's sight, as lists show it. @throws NOT_FOUND */
export async function deviceById(db: Db, caller: Caller, id: string, nowMs: number): Promise<Device> {
  const row = await visibleWithState(db, caller)
    .where('devices.id', '=', id)
    .select(deviceColumns)
    .select(stateColumns)
    .executeTakeFirst()
  if (row === undefined) throw notFound('Device')
  return asDevice(row, nowMs)
}

// One JSON value, so that a device without an inventory has none at all rather than one of nulls.
const inventory = sql<DeviceDetail['inventory']>`CASE WHEN found.device_id IS NOT NULL THEN json_build_object(
  'hash', found.hash, 'collectedAt', found.collected_at, 'hardware', found.hardware, 'disks', found.disks,
  'network', found.network, 'software', found.software, 'services', found.services, 'users', found.users) END`

/** Everything about a device, in one statement. @throws NOT_FOUND */
export async function deviceDetail(db: Db, caller: Caller, id: string, nowMs: number): Promise<DeviceDetail> {
  const row = await visibleWithState(db, caller)
    .leftJoin('deviceInventory as found', 'found.deviceId', 'devices.id')
    .where('devices.id', '=', id)
    .select(deviceColumns)
    .select(stateColumns)
    .select(['devices.kernelVersion', 'devices.machineId', 'devices.decommissionedAt'])
    .select(['state.statusAt', 'state.networkRxBytes', 'state.networkTxBytes', 'state.processCount'])
    .select(sql<number | null>`state.load_1m`.as('load1m'))
    .select('state.watchdogSeenAt')
    .select(inventory.as('inventory'))
    .executeTakeFirst()
  if (row === undefined) throw notFound('Device')
  return asDevice(row, nowMs)
}

export interface Range {
  readonly deviceId: string
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** Stored heartbeats of a device, newest first. */
export const metricsOf = (db: Db, caller: Caller, { deviceId, from, to, limit }: Range): Promise<MetricPoint[]> =>
  db
    .selectFrom('deviceMetrics')
    .where('deviceId', '=', deviceId)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .where(within(caller, 'orgId', 'partnerId'))
    .select(['at', 'cpuPercent', 'memoryUsed', 'memoryTotal', 'diskUsed', 'diskTotal', 'uptimeSeconds'])
    .select(['networkRxBytes', 'networkTxBytes', 'processCount'])
    .select(sql<number | null>`load_1m`.as('load1m'))
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()
