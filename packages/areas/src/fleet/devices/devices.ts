import { emptyPage, upTo } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { invalid } from '@muster/kit/errors.ts'
import { openCursor, sealCursor } from '@muster/kit/secrets/cursor.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { type Call, implement } from '../../operation.ts'
import { reachesNothing } from '../../tenancy/tenancy/index.ts'
import { deviceDetail } from './device-detail.ts'
import { devices as contract, deviceFilters, type ListInput, type MetricResolution } from './devices.contract.ts'
import {
  asDevice,
  countDevices,
  deviceById,
  type Listing,
  listDevices,
  metricsOf,
  type Position,
} from './devices.queries.ts'
import { conditionOf } from './filter/filter-condition.ts'
import { devicesNamed } from './named-devices.ts'

export default implement(contract, {
  async list(call) {
    return isPaged(call.input) ? listByPage(call, call.input.page ?? 1) : listByCursor(call)
  },

  async get({ caller, db, services, input }) {
    return deviceDetail(db, caller, input.id, services.clock.now())
  },

  async metrics({ caller, db, services, input }) {
    const { id, minutes, limit } = input
    const to = input.to ?? new Date(services.clock.now()).toISOString()
    const from = input.from ?? new Date(Date.parse(to) - minutes * 60_000).toISOString()
    if (Date.parse(from) > Date.parse(to)) throw invalid('from: must not be after to')
    const resolution = input.resolution ?? resolutionFor(Date.parse(from), Date.parse(to), services.clock.now())
    const [points] = await Promise.all([
      metricsOf(db, caller, { deviceId: id, from, to, limit: limit + 1 }, resolution),
      deviceById(db, caller, id, services.clock.now()),
    ])
    return {
      deviceId: id,
      from,
      to,
      resolution,
      points: points.slice(0, limit).reverse(),
      truncated: points.length > limit,
    }
  },
})

const dayMs = 86_400_000

/** The finest resolution that is still stored for the range and returns a bounded number of points. */
function resolutionFor(fromMs: number, toMs: number, nowMs: number): MetricResolution {
  const [age, span] = [nowMs - fromMs, toMs - fromMs]
  if (span <= dayMs && age <= 7 * dayMs) return 'raw'
  return span <= 10 * dayMs && age <= 30 * dayMs ? 'five_minutes' : 'hours'
}

/** The condition of the filter for the caller's tenant. */
async function conditionIn({ caller, db, input: { filter } }: Call<ListInput>) {
  const { partnerId, orgId } = caller
  return filter === undefined ? null : conditionOf(db, filter, { partnerId, orgId })
}

/** The filters of the list, with the result of the search when an index provides it. */
async function withNamed<Filters extends Listing['filters']>({ caller, services }: Call<ListInput>, filters: Filters) {
  const { search = '' } = filters
  const named = await devicesNamed(services.system, caller, search)
  return named === null ? filters : { ...filters, named }
}

const cursorModeOnly = [
  'cursor',
  'offset',
  'sort',
  'sortDir',
  'orgIds',
  'siteIds',
  'groupIds',
  'includeDecommissioned',
  'includeTotal',
] as const

/** Pages are numbered only when `page` is given without parameters of the cursor mode. */
const isPaged = (input: ListInput) =>
  input.page !== undefined && cursorModeOnly.every((name) => input[name] === undefined)

async function listByPage(call: Call<ListInput>, page: number) {
  const { caller, input, db, services } = call
  const { limit, ...asked } = input
  if (reachesNothing(caller)) return emptyPage({ page, limit })
  const now = services.clock.now()
  const filters = await withNamed(call, asked)
  const listing: Listing = { filters, sort: 'hostname', sortDir: 'asc', limit, offset: (page - 1) * limit, after: null }
  const condition = await conditionIn(call)
  const [rows, total] = await Promise.all([
    listDevices(db, caller, listing, now, condition),
    countDevices(db, caller, filters, now, condition),
  ])
  return { data: rows.map((row) => asDevice(row, now)), pagination: { page, limit, total } }
}

async function listByCursor(call: Call<ListInput>) {
  const { caller, input, db, services } = call
  const { limit, sort = 'hostname', sortDir = 'asc', includeTotal = false, cursor = '', offset = 0, ...asked } = input
  if (reachesNothing(caller)) return { devices: [], nextCursor: null, limit, ...(includeTotal ? { total: 0 } : {}) }
  const now = services.clock.now()
  const binding = bindingOf(caller, input)
  const after = cursor === '' ? null : positionOf(services.keyring, binding, cursor)
  const filters = await withNamed(call, asked)
  const listing: Listing = { filters, sort, sortDir, limit: limit + 1, offset, after }
  const condition = await conditionIn(call)
  const [rows, total] = await Promise.all([
    listDevices(db, caller, listing, now, condition),
    includeTotal ? countDevices(db, caller, filters, now, condition) : undefined,
  ])
  const { data, last } = upTo(limit, rows)
  return {
    devices: data.map((row) => asDevice(row, now)),
    nextCursor: last === null ? null : sealCursor(services.keyring, binding, [last.sortKey, last.id]),
    limit,
    ...(total === undefined ? {} : { total }),
  }
}

/** A cursor continues in the same order, with the same filters, in the same tenant. */
function bindingOf({ scope, partnerId, orgId }: Caller, input: ListInput): string {
  const filters = Object.keys(deviceFilters).map((name) => [name, input[name as keyof typeof deviceFilters] ?? null])
  return JSON.stringify(['devices', scope, partnerId, orgId, input.sort ?? 'hostname', input.sortDir ?? 'asc', filters])
}

function positionOf(keyring: Keyring, binding: string, cursor: string): Position {
  const [key, id] = openCursor(keyring, binding, cursor) ?? []
  if (key === undefined || id === undefined) {
    throw invalid('cursor: must be the nextCursor of a page with the same sort and filters')
  }
  return { key, id }
}
