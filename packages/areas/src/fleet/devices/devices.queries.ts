import type { Db } from '@muster/db/database.ts'
import { shaped } from '@muster/db/shaped.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { signedOrdersProtocol } from '@muster/wire/version.ts'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Reach, reachFrom, reachShape, reachValues, within } from '../../tenancy/tenancy/index.ts'
import type { Device, DeviceSort, DeviceStatus, ListInput, MetricPoint, MetricResolution } from './devices.contract.ts'
import { type Condition, deviceStatus, percent, updateTimeoutMs } from './devices.rules.ts'
import { containing, isNamed } from './named-devices.ts'
import { visibleDevices } from './visibility.ts'

type Stored = Omit<Device, 'status' | 'memoryPercent' | 'diskPercent'> & Condition

/** Maps a database row to a device of the contract. */
export function asDevice<Row extends Stored>(row: Row, nowMs: number) {
  return {
    ...row,
    status: deviceStatus(row, nowMs),
    memoryPercent: percent(row.memoryUsed, row.memoryTotal),
    diskPercent: percent(row.diskUsed, row.diskTotal),
  }
}

const ownColumns = [
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
  'devices.customFields',
  'devices.autoUpdate',
  sql<boolean>`coalesce(devices.agent_protocol < ${sql.lit(signedOrdersProtocol)}, false)`.as('updateRequired'),
  'devices.createdAt',
  'devices.updatedAt',
] as const

/** With the names of its tenant and site, which are looked up per row: for few rows. */
export const deviceColumns = [
  ...ownColumns,
  sql<string>`(SELECT o.name FROM organizations o WHERE o.id = devices.org_id)`.as('orgName'),
  sql<string | null>`(SELECT s.name FROM sites s WHERE s.id = devices.site_id)`.as('siteName'),
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

export const visible = (db: Db, caller: Reach) => db.selectFrom('devices').where(visibleDevices(caller))
export const visibleWithState = (db: Db, caller: Reach) =>
  visible(db, caller).leftJoin('deviceState as state', 'state.deviceId', 'devices.id')

/** Where a page starts: the sort key and ID of the row before it. */
export interface Position {
  readonly key: string
  readonly id: string
}

export interface Listing {
  readonly filters: Pick<
    ListInput,
    | 'orgIds'
    | 'siteIds'
    | 'groupIds'
    | 'orgId'
    | 'siteId'
    | 'status'
    | 'search'
    | 'includeDecommissioned'
    | 'possibleDuplicate'
  > & {
    /** The devices that match `search`, when they are known already. */
    readonly named?: readonly string[]
  }
  readonly sort: DeviceSort
  readonly sortDir: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
  readonly after: Position | null
}

// All sort orders but the last have an index. Each heartbeat changes the last column, so it has none and is sorted.
const sortKeys = {
  hostname: { key: sql<string>`devices.hostname`, type: sql`text` },
  enrolled: { key: sql<string>`coalesce(devices.enrolled_at, devices.created_at)`, type: sql`timestamptz` },
  lastSeen: { key: sql<string>`coalesce(state.last_seen_at, '-infinity')`, type: sql`timestamptz` },
} as const

/** The rule of `deviceStatus` as a condition, in plain comparisons whose selectivity the planner can estimate. */
function statusIn(statuses: readonly DeviceStatus[], since: string) {
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

type Filters = Listing['filters']
type Count = 'none' | 'one' | 'many'
const countOf = (ids: readonly string[] | undefined): Count =>
  ids === undefined ? 'none' : ids.length === 1 ? 'one' : 'many'
const orgsOf = ({ orgId, orgIds }: Filters) => (orgId === undefined ? orgIds : [orgId])
const sitesOf = ({ siteId, siteIds }: Filters) => (siteId === undefined ? siteIds : [siteId])

/** The parts of filters and caller that determine the text of the statement. */
const filterShape = (caller: Reach, filters: Filters, withState: boolean) => ({
  reach: reachShape(caller),
  orgs: countOf(orgsOf(filters)),
  sites: countOf(sitesOf(filters)),
  groups: filters.groupIds !== undefined,
  status: filters.status,
  search: filters.search !== undefined && filters.search !== '' && filters.named === undefined,
  named: filters.named !== undefined,
  duplicates: filters.possibleDuplicate === true,
  decommissioned: filters.includeDecommissioned === true || filters.status?.includes('decommissioned') === true,
  /** Joined only when needed, because the join would keep a count from using an index alone. */
  state: withState || filters.status !== undefined,
})
type FilterShape = ReturnType<typeof filterShape>

type Filtering = Expression<SqlBool> | null

const filterValues = (caller: Reach, filters: Filters, nowMs: number) => ({
  ...reachValues(caller),
  org: orgsOf(filters)?.[0] ?? '',
  orgs: orgsOf(filters) ?? [],
  site: sitesOf(filters)?.[0] ?? '',
  sites: sitesOf(filters) ?? [],
  groups: filters.groupIds ?? [],
  pattern: containing(filters.search ?? ''),
  named: filters.named ?? [],
  since: new Date(nowMs - updateTimeoutMs).toISOString(),
})
type FilterValues = ReturnType<typeof filterValues>

// One value is compared with =, because only then does the planner use the ordered index.
const oneOf = (count: Count, id: string, ids: readonly string[]) =>
  count === 'one' ? sql<string>`${id}` : sql<string>`ANY (${[...ids]}::uuid[])`

/** @param condition of a filter in the filter language, which has too many forms for a cached statement */
function filtered(db: Db, shape: FilterShape, values: FilterValues, condition: Filtering = null) {
  return (
    visible(db, reachFrom(shape.reach, values))
      .$if(shape.state, (query) => query.leftJoin('deviceState as state', 'state.deviceId', 'devices.id'))
      .$if(shape.orgs !== 'none', (query) =>
        query.where('devices.orgId', '=', oneOf(shape.orgs, values.org, values.orgs)),
      )
      .$if(shape.sites !== 'none', (query) =>
        query.where('devices.siteId', '=', oneOf(shape.sites, values.site, values.sites)),
      )
      .$if(shape.groups, (query) =>
        query.where(
          sql<SqlBool>`devices.id IN (SELECT m.device_id FROM device_group_members m WHERE m.group_id = ANY (${[...values.groups]}::uuid[]))`,
        ),
      )
      .$if(shape.duplicates, (query) =>
        query.where(
          sql<SqlBool>`devices.id IN (SELECT p.device_id FROM device_duplicates p WHERE p.dismissed_at IS NULL)`,
        ),
      )
      // Written literally, because the partial index of active devices requires exactly this condition.
      .$if(!shape.decommissioned, (query) => query.where(sql<SqlBool>`devices.lifecycle <> 'decommissioned'`))
      .$if(shape.status !== undefined, (query) => query.where(statusIn(shape.status ?? [], values.since)))
      .$if(shape.search, (query) => query.where(isNamed(values.pattern)))
      .$if(shape.named, (query) => query.where(sql<SqlBool>`devices.id = ANY (${[...values.named]}::uuid[])`))
      .$if(condition !== null, (query) => query.where(condition ?? sql<SqlBool>`true`))
  )
}

export type ListedDevice = Stored & { readonly sortKey: string }

// The planner needs a literal limit to see that an index scan beats sorting. Few different texts keep the number of plans
// small, so the limit is rounded up to one of these.
const steps = [51, 101, 201, 501, 1_001]

interface PageShape extends FilterShape, Pick<Listing, 'sort' | 'sortDir'> {
  readonly step: number
  readonly isAfter: boolean
  readonly isOffset: boolean
}
type PageValues = FilterValues & { readonly afterKey: string; readonly afterId: string; readonly offset: number }

// The state is joined only for the rows of the page.
const pageOfDevices = shaped((db, shape: PageShape, values: PageValues) => devicePage(db, shape, values))

function devicePage(db: Db, shape: PageShape, values: PageValues, condition: Filtering = null) {
  const { sort, sortDir } = shape
  const { key, type } = sortKeys[sort]
  const beyond = sql.raw(sortDir === 'asc' ? '>' : '<')
  const page = filtered(db, shape, values, condition)
    .select(['devices.id', key.as('orderKey')])
    .$if(shape.isAfter, (query) =>
      query.where(sql<SqlBool>`(${key}, devices.id) ${beyond} (${values.afterKey}::${type}, ${values.afterId}::uuid)`),
    )
    .orderBy(key, sortDir)
    .orderBy('devices.id', sortDir)
    .limit(sql.lit(shape.step))
    .$if(shape.isOffset, (query) => query.offset(sql<number>`${values.offset}`))
  return db
    .selectFrom(page.as('page'))
    .innerJoin('devices', 'devices.id', 'page.id')
    .leftJoin('deviceState as state', 'state.deviceId', 'page.id')
    .select(ownColumns)
    .select(stateColumns)
    .select(sql<string>`page.order_key::text`.as('sortKey'))
    .orderBy('page.orderKey', sortDir)
    .orderBy('page.id', sortDir)
}

interface Places {
  readonly orgIds: readonly string[]
  readonly siteIds: readonly string[]
}
const namesOfPlaces = shaped((db, _shape: object, { orgIds, siteIds }: Places & Readonly<Record<string, unknown>>) =>
  db
    .selectFrom('organizations')
    .where(sql<SqlBool>`id = ANY (${[...orgIds]}::uuid[])`)
    .select(['id', 'name'])
    .unionAll(
      db
        .selectFrom('sites')
        .where(sql<SqlBool>`id = ANY (${[...siteIds]}::uuid[])`)
        .select(['id', 'name']),
    ),
)

/** Adds the names of organizations and sites with one query each, because row-level security checks each lookup. */
async function withNames<Row extends { readonly orgId: string; readonly siteId: string | null }>(
  db: Db,
  rows: readonly Row[],
) {
  if (rows.length === 0) return []
  const orgIds = [...new Set(rows.map(({ orgId }) => orgId))]
  const siteIds = [...new Set(rows.flatMap(({ siteId }) => siteId ?? []))]
  const names = new Map((await namesOfPlaces(db, {}, { orgIds, siteIds })).map(({ id, name }) => [id, name]))
  return rows.map((row) => ({
    ...row,
    orgName: names.get(row.orgId) ?? '',
    siteName: row.siteId === null ? null : (names.get(row.siteId) ?? null),
  }))
}

/** One page of the devices that are visible to the caller. */
export async function listDevices(
  db: Db,
  caller: Caller,
  listing: Listing,
  nowMs: number,
  condition: Filtering = null,
): Promise<ListedDevice[]> {
  const { filters, sort, sortDir, limit, offset, after } = listing
  const shape = {
    ...filterShape(caller, filters, sort === 'lastSeen' || condition !== null),
    sort,
    sortDir,
    step: steps.find((step) => step >= limit) ?? limit,
    isAfter: after !== null,
    isOffset: offset > 0,
  }
  const values = {
    ...filterValues(caller, filters, nowMs),
    afterKey: after?.key ?? '',
    afterId: after?.id ?? '',
    offset,
  }
  const rows =
    condition === null
      ? await pageOfDevices(db, shape, values)
      : await devicePage(db, shape, values, condition).execute()
  return withNames(db, rows.slice(0, limit))
}

const countOfDevices = shaped((db, shape: FilterShape, values: FilterValues) =>
  filtered(db, shape, values).select((eb) => eb.fn.countAll<number>().as('total')),
)

export async function countDevices(
  db: Db,
  caller: Caller,
  filters: Filters,
  nowMs: number,
  condition: Filtering = null,
): Promise<number> {
  const shape = filterShape(caller, filters, condition !== null)
  const values = filterValues(caller, filters, nowMs)
  const rows =
    condition === null
      ? await countOfDevices(db, shape, values)
      : await filtered(db, shape, values, condition)
          .select((eb) => eb.fn.countAll<number>().as('total'))
          .execute()
  return rows[0]?.total ?? 0
}

/** A device that is visible to the caller, as in lists. @throws NOT_FOUND */
export async function deviceById(db: Db, caller: Caller, id: string, nowMs: number): Promise<Device> {
  const row = await visibleWithState(db, caller)
    .where('devices.id', '=', id)
    .select(deviceColumns)
    .select(stateColumns)
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

/** Metrics of a device, newest first. */
export async function metricsOf(
  db: Db,
  caller: Caller,
  { deviceId, from, to, limit }: Range,
  resolution: MetricResolution,
): Promise<MetricPoint[]> {
  if (resolution !== 'raw') return rolledUpMetricsOf(db, caller, { deviceId, from, to, limit }, resolution)
  return db
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
}

const rolledUp = { five_minutes: 'deviceMetricsFiveMinutes', hours: 'deviceMetricsHours' } as const

const rolledUpMetricsOf = (
  db: Db,
  caller: Caller,
  { deviceId, from, to, limit }: Range,
  resolution: keyof typeof rolledUp,
): Promise<MetricPoint[]> =>
  db
    .selectFrom(rolledUp[resolution])
    .where('deviceId', '=', deviceId)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .where(within(caller, 'orgId', 'partnerId'))
    .select(['at', 'cpuPercent', 'memoryUsed', 'memoryTotal', 'diskUsed', 'diskTotal', 'uptimeSeconds'])
    .select(['networkRxBytes', 'networkTxBytes', 'processCount'])
    .select(['cpuPercentMax', 'memoryUsedMax', 'processCountMax'])
    .select([sql<number | null>`load_1m`.as('load1m'), sql<number | null>`load_1m_max`.as('load1mMax')])
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()
