import { always, type Condition, equals } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, invalid, notFound, requireInOrder } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../../operation.ts'
import { reachesNothing } from '../../../tenancy/tenancy/index.ts'
import { endOccurrences, startOccurrences } from '../clock.ts'
import { asked, windowRow } from '../window.queries.ts'
import { requireChangeable } from '../windows.ts'
import { occurrenceById, selectOccurrences, shown } from './occurrence.queries.ts'
import { occurrences as contract, type Occurrence, type OccurrenceStatus } from './occurrences.contract.ts'

const longestMs = 10_080 * 60_000

interface Listed {
  readonly page: number
  readonly limit: number
  readonly status?: OccurrenceStatus | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly orgId?: string | undefined
  readonly siteId?: string | undefined
  readonly deviceId?: string | undefined
}

async function listed(db: Db, caller: Caller, input: Listed, which: Condition = always) {
  const { page, limit, from, to, status, ...places } = input
  requireInOrder(input)
  if (reachesNothing(caller)) return emptyPage({ page, limit })
  const found = selectOccurrences(db)
    .where(asked(caller, places))
    .where(which)
    .$if(status !== undefined, (query) => query.where('o.status', '=', status ?? 'active'))
    .$if(from !== undefined, (query) => query.where('o.endsAt', '>', from ?? ''))
    .$if(to !== undefined, (query) => query.where('o.startsAt', '<', to ?? ''))
  const { data, pagination } = await paged(found.orderBy('o.startsAt').orderBy('o.id'), { page, limit })
  return { data: await shown(db, caller, data), pagination }
}

/** An occurrence that the caller may change, locked until the transaction ends. */
async function changeable({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<Occurrence> {
  const { windowId } = await occurrenceById(db, caller, id)
  await sql`SELECT FROM maintenance_windows WHERE id = ${windowId}::uuid FOR NO KEY UPDATE`.execute(db)
  const window = await windowRow(db, caller, windowId)
  if (window === undefined) throw notFound('Occurrence')
  await requireChangeable({ db, caller }, window)
  return occurrenceById(db, caller, id)
}

export default implement(contract, {
  async list({ db, caller, input }) {
    return listed(db, caller, input)
  },

  async active({ db, caller, input }) {
    return listed(db, caller, input, equals('o.status', 'active'))
  },

  async get({ db, caller, input }) {
    return occurrenceById(db, caller, input.id)
  },

  async start(call) {
    const { db, audit, input, services } = call
    const before = await changeable(call, input.id)
    if (before.status !== 'scheduled') throw conflict(`The occurrence is ${before.status}`)
    const nowMs = services.clock.now()
    const durationMs = Date.parse(before.endsAt) - Date.parse(before.startsAt)
    const endsAt = input.endsAt ?? new Date(nowMs + durationMs).toISOString()
    if (Date.parse(endsAt) <= nowMs || Date.parse(endsAt) > nowMs + longestMs)
      throw invalid('endsAt: must be after now and within seven days')
    const other = await sql`SELECT FROM maintenance_occurrences o WHERE o.window_id = ${before.windowId}::uuid
      AND o.timezone = ${before.timezone} AND o.status = 'active'`.execute(db)
    if (other.rows.length > 0) throw conflict('Another occurrence of the maintenance window is active')
    const next = await sql`SELECT FROM maintenance_occurrences o WHERE o.window_id = ${before.windowId}::uuid
      AND o.timezone = ${before.timezone} AND o.id <> ${before.id}::uuid AND o.status = 'scheduled'
      AND o.starts_at < ${endsAt}::timestamptz`.execute(db)
    if (next.rows.length > 0) throw invalid('endsAt: the next occurrence of the window starts before')
    await startOccurrences(db, sql`o.id = ${before.id}::uuid`, sql`${endsAt}::timestamptz`)
    return audited(call, before, audit)
  },

  async end(call) {
    const { db, input, audit } = call
    const before = await changeable(call, input.id)
    if (before.status !== 'active') throw conflict(`The occurrence is ${before.status}`)
    await endOccurrences(db, sql`o.id = ${before.id}::uuid`, 'person')
    return audited(call, before, audit)
  },
})

async function audited(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  before: Occurrence,
  audit: Call['audit'],
): Promise<Occurrence> {
  const after = await occurrenceById(db, caller, before.id)
  const { partnerId } = (await windowRow(db, caller, before.windowId)) ?? {}
  audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId, before, after })
  return after
}
