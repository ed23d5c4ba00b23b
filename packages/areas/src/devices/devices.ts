import type { Caller } from '@muster/kit/access.ts'
import { openCursor, sealCursor } from '@muster/kit/cursor.ts'
import { invalid } from '@muster/kit/errors.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import { type Call, implement } from '../operation.ts'
import { reachesNothing } from '../tenancy/index.ts'
import { devices as contract, deviceFilters, type ListInput } from './devices.contract.ts'
import {
  asDevice,
  countDevices,
  deviceById,
  deviceDetail,
  type Listing,
  listDevices,
  metricsOf,
  type Position,
} from './devices.queries.ts'

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
    const [points] = await Promise.all([
      metricsOf(db, caller, { deviceId: id, from, to, limit: limit + 1 }),
      deviceById(db, caller, id, services.clock.now()),
    ])
    return { deviceId: id, from, to, points: points.slice(0, limit).reverse(), truncated: points.length > limit }
  },
})

const cursorModeOnly = [
  'cursor',
  'sort',
  'sortDir',
  'orgIds',
  'siteIds',
  'groupIds',
  'includeDecommissioned',
  'includeTotal',
] as const

/** Pages are numbered only where `page` is given and nothing that the cursor mode brought. */
const isPaged = (input: ListInput) =>
  input.page !== undefined && cursorModeOnly.every((name) => input[name] === undefined)

async function listByPage({ caller, input, db, services }: Call<ListInput>, page: number) {
  const { limit, ...filters } = input
  if (reachesNothing(caller)) return { data: [], pagination: { page, limit, total: 0 } }
  const now = services.clock.now()
  const listing: Listing = { filters, sort: 'hostname', sortDir: 'asc', limit, offset: (page - 1) * limit, after: null }
  const [rows, total] = await Promise.all([
    listDevices(db, caller, listing, now),
    countDevices(db, caller, filters, now),
  ])
  return { data: rows.map((row) => asDevice(row, now)), pagination: { page, limit, total } }
}

async function listByCursor({ caller, input, db, services }: Call<ListInput>) {
  const { limit, sort = 'hostname', sortDir = 'asc', includeTotal = false, cursor = '', ...filters } = input
  if (reachesNothing(caller)) return { devices: [], nextCursor: null, limit, ...(includeTotal ? { total: 0 } : {}) }
  const now = services.clock.now()
  const binding = bindingOf(caller, input)
  const after = cursor === '' ? null : positionOf(services.keyring, binding, cursor)
  // One row more than asked for tells whether there is another page.
  const listing: Listing = { filters, sort, sortDir, limit: limit + 1, offset: 0, after }
  const [rows, total] = await Promise.all([
    listDevices(db, caller, listing, now),
    includeTotal ? countDevices(db, caller, filters, now) : undefined,
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    devices: page.map((row) => asDevice(row, now)),
    nextCursor: more ? sealCursor(services.keyring, binding, [last.sortKey, last.id]) : null,
    limit,
    ...(total === undefined ? {} : { total }),
  }
}

/** A cursor goes on in the same order, through the same filters, within the same tenant. */
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
