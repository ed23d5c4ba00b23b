import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, denied, invalid, notFound, requireInOrder } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { dropTargets, mayTarget, readTargets, saveTargets, shownTargets } from '../../fleet/targets/index.ts'
import { type Call, implement } from '../../operation.ts'
import { reachesNothing, requireOwner, requireWorkingOrganization, tenantOf } from '../../tenancy/tenancy/index.ts'
import { endOccurrences, turnClock } from './clock.ts'
import { defaultEffects, Effects } from './maintenance.contract.ts'
import { selectOccurrences, shown } from './occurrences/occurrence.queries.ts'
import { localOf } from './recurrence/wall-time.rules.ts'
import { fallbackZone, nextOccurrences, requireSound, storeOccurrences, zonesOf } from './schedule.ts'
import { asked, countsByZone, total, type WindowRow, windowRow } from './window.queries.ts'
import { windows as contract, type Window } from './windows.contract.ts'

const previewed = 20
const hasEffect = (effects: Effects): boolean => Object.values(effects).some((effect) => effect !== 'none')

type Row = NonNullable<WindowRow>

/** Rows with their targets, numbers of devices and next occurrences. */
async function withDetails(db: Db, caller: Caller, rows: readonly Row[]): Promise<Window[]> {
  if (rows.length === 0) return []
  const setIds = rows.map(({ targetSetId }) => targetSetId)
  const nextIds = await sql<{ id: string }>`
    SELECT DISTINCT ON (o.window_id) o.id FROM maintenance_occurrences o
    WHERE o.window_id = ANY (${rows.map(({ id }) => id)}::uuid[]) AND o.status IN ('active', 'scheduled') AND o.ends_at > now()
    ORDER BY o.window_id, o.starts_at, o.timezone`.execute(db)
  const [targets, counts, next] = await Promise.all([
    shownTargets(db, caller, setIds),
    countsByZone(db, caller, setIds),
    selectOccurrences(db)
      .where(
        isOneOf(
          'o.id',
          nextIds.rows.map(({ id }) => id),
        ),
      )
      .execute(),
  ])
  const nextOf = new Map((await shown(db, caller, next, counts)).map((occurrence) => [occurrence.windowId, occurrence]))
  return rows.map((row) => {
    const { targets: named = {}, exclude = {} } = targets.get(row.targetSetId) ?? {}
    return {
      id: row.id,
      partnerId: row.partnerId,
      orgId: row.orgId,
      name: row.name,
      description: row.description,
      startsAt: row.startsAt,
      timezone: row.timezone,
      durationMinutes: row.durationMinutes,
      rrule: row.rrule,
      exDates: row.exDates,
      targets: named,
      exclude,
      effects: Effects.parse(row.effects),
      verifyReturn: row.verifyReturn,
      status: row.status,
      nextOccurrence: nextOf.get(row.id) ?? null,
      deviceCount: total(counts.get(row.targetSetId)),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  })
}

/** @throws NOT_FOUND */
async function rowById({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<Row> {
  const row = await windowRow(db, caller, id)
  if (row === undefined) throw notFound('Maintenance window')
  return row
}

async function windowById(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<Window> {
  const [window] = await withDetails(call.db, call.caller, [await rowById(call, id)])
  if (window === undefined) throw notFound('Maintenance window')
  return window
}

/** A window that the caller may change: one of the partner only with access to all organizations. @throws FORBIDDEN */
export async function requireChangeable(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { orgId, partnerId, targetSetId }: Pick<Row, 'orgId' | 'partnerId' | 'targetSetId'>,
): Promise<void> {
  requireOwner(caller, { orgId }, 'maintenance window')
  const saved = (await readTargets(db, [targetSetId])).get(targetSetId)
  if (saved === undefined || !(await mayTarget({ db, caller }, { partnerId, orgId }, saved)))
    throw denied('The maintenance window concerns devices that you do not reach')
  await requireWorkingOrganization(db, caller, orgId)
}

/** The window, locked until the transaction ends. */
async function changeable(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<Row> {
  await rowById(call, id)
  const { rows } = await sql`SELECT FROM maintenance_windows WHERE id = ${id}::uuid FOR NO KEY UPDATE`.execute(call.db)
  const row = await rowById(call, id)
  await requireChangeable(call, row)
  if (rows.length === 0) throw notFound('Maintenance window')
  return row
}

function requireOpen({ status }: Row): void {
  if (status === 'completed' || status === 'cancelled') throw conflict('The maintenance window has ended')
}

export default implement(contract, {
  async list({ caller, input: { page, limit, from, to, status, ...places }, db }) {
    requireInOrder({ from, to })
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = db
      .selectFrom('maintenanceWindows as w')
      .selectAll('w')
      .where(asked(caller, places))
      .$if(status !== undefined, (query) => query.where('w.status', '=', status ?? 'active'))
      .$if(from !== undefined || to !== undefined, (query) =>
        query.where(sql<boolean>`EXISTS (SELECT FROM maintenance_occurrences o WHERE o.window_id = w.id
          AND o.ends_at > ${from ?? '-infinity'}::timestamptz AND o.starts_at < ${to ?? 'infinity'}::timestamptz)`),
      )
    const { data, pagination } = await paged(found.orderBy('w.createdAt', 'desc').orderBy('w.id'), { page, limit })
    return { data: await withDetails(db, caller, data), pagination }
  },

  async create(call) {
    const { caller, db, audit, services } = call
    const nowMs = services.clock.now()
    const { row, targets, exclude } = await validated(call, nowMs)
    const targetSetId = await saveTargets(call, row, { targets, exclude })
    const made = await db
      .insertInto('maintenanceWindows')
      .values({ ...row, effects: JSON.stringify(row.effects), targetSetId, createdBy: caller.userId })
      .returningAll()
      .executeTakeFirstOrThrow()
    await storeOccurrences(db, made, nowMs)
    await turnClock(db, made.id)
    const window = await windowById(call, made.id)
    audit({ target: made.id, name: made.name, orgId: made.orgId, partnerId: made.partnerId, after: window })
    return window
  },

  async preview(call) {
    const nowMs = call.services.clock.now()
    const { row, targets, exclude } = await validated(call, nowMs)
    // Counting devices needs a stored set; the transaction of a preview leaves none behind.
    const targetSetId = await saveTargets(call, row, { targets, exclude })
    const zones = await zonesOf(call.db, targetSetId, row.timezone, row.fallbackZone)
    const { rows } = await sql<{ zone: string; count: number }>`
      SELECT coalesce((SELECT s.timezone FROM sites s WHERE s.id = d.site_id), ${row.fallbackZone}) AS zone, count(*) AS count
      FROM target_sets t CROSS JOIN LATERAL devices_of_targets(t) d WHERE t.id = ${targetSetId}::uuid GROUP BY 1`.execute(
      call.db,
    )
    await dropTargets(call.db, targetSetId)
    const all = rows.reduce((sum, { count }) => sum + count, 0)
    const inZone = new Map(rows.map(({ zone, count }) => [zone, count]))
    const planned = nextOccurrences(row, zones, nowMs, previewed)
    return {
      data: planned.map(({ timezone, startsAt, endsAt }) => ({
        id: crypto.randomUUID(),
        windowId: targetSetId,
        orgId: row.orgId,
        name: row.name,
        timezone,
        startsAt: startsAt.toISOString(),
        endsAt: endsAt.toISOString(),
        startedAt: null,
        endedAt: null,
        status: 'scheduled' as const,
        endedBy: null,
        deviceCount: row.timezone === 'site' ? (inZone.get(timezone) ?? 0) : all,
        suppressed: { alerts: 0, scripts: 0, patches: 0, automations: 0, agentUpdates: 0, software: 0, reboots: 0 },
        notReturned: [],
      })),
    }
  },

  async get(call) {
    return windowById(call, call.input.id)
  },

  async update(call) {
    const { db, audit, services } = call
    const { id, targets, exclude, effects, ...changes } = call.input
    const row = await changeable(call, id)
    requireOpen(row)
    const before = await windowById(call, id)
    const merged = { ...Effects.parse(row.effects), ...effects }
    if (!hasEffect(merged)) throw invalid('effects: at least one activity must have an effect')
    const begunAt = changes.startsAt === undefined ? row.begunAt : null
    const after = { ...row, ...changes, begunAt }
    const { startsAt, timezone, durationMinutes, rrule, exDates } = changes
    const isRescheduled = [startsAt, timezone, durationMinutes, rrule, exDates].some((given) => given !== undefined)
    const nowMs = services.clock.now()
    if (isRescheduled) requireSound(after, nowMs)
    if (targets !== undefined || exclude !== undefined) {
      const saved = (await readTargets(db, [row.targetSetId])).get(row.targetSetId) ?? { targets: {}, exclude: {} }
      await saveTargets(
        call,
        row,
        { targets: targets ?? saved.targets, exclude: exclude ?? saved.exclude },
        row.targetSetId,
      )
    }
    await db
      .updateTable('maintenanceWindows')
      .set({ ...changes, begunAt, effects: JSON.stringify(merged) })
      .where('id', '=', id)
      .execute()
    if (isRescheduled || targets !== undefined || exclude !== undefined) await storeOccurrences(db, after, nowMs)
    await turnClock(db, id)
    const window = await windowById(call, id)
    audit({ target: id, name: window.name, orgId: window.orgId, partnerId: window.partnerId, before, after: window })
    return window
  },

  async remove(call) {
    const { db, audit } = call
    const row = await changeable(call, call.input.id)
    const before = await windowById(call, row.id)
    const active = await sql`SELECT FROM maintenance_occurrences o WHERE o.window_id = ${row.id}::uuid
      AND (o.status = 'active' OR o.status = 'scheduled' AND o.starts_at <= now()) AND o.ends_at > now()`.execute(db)
    if (active.rows.length > 0) throw conflict('The maintenance window is active. Cancel it first')
    const { numDeletedRows } = await db.deleteFrom('maintenanceWindows').where('id', '=', row.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Maintenance window')
    await dropTargets(db, row.targetSetId)
    audit({ target: row.id, name: row.name, orgId: row.orgId, partnerId: row.partnerId, before })
    return { success: true as const }
  },

  async cancel(call) {
    const { db, audit } = call
    const row = await changeable(call, call.input.id)
    requireOpen(row)
    await db.updateTable('maintenanceWindows').set({ status: 'cancelled' }).where('id', '=', row.id).execute()
    await endOccurrences(db, sql`o.window_id = ${row.id}::uuid AND o.status = 'active'`, 'cancel')
    await sql`UPDATE maintenance_occurrences SET status = 'cancelled', ended_by = 'cancel', ended_at = now()
      WHERE window_id = ${row.id}::uuid AND status = 'scheduled'`.execute(db)
    const after = await windowById(call, row.id)
    const states = { before: { status: row.status }, after: { status: after.status } }
    audit({ target: row.id, name: row.name, orgId: row.orgId, partnerId: row.partnerId, ...states })
    return after
  },

  async occurrences(call) {
    const { caller, db, input } = call
    const { id } = await rowById(call, input.id)
    requireInOrder(input)
    const found = selectOccurrences(db)
      .where('o.windowId', '=', id)
      .where(asked(caller, input))
      .$if(input.status !== undefined, (query) => query.where('o.status', '=', input.status ?? 'active'))
      .$if(input.from !== undefined, (query) => query.where('o.endsAt', '>', input.from ?? ''))
      .$if(input.to !== undefined, (query) => query.where('o.startsAt', '<', input.to ?? ''))
    const { data, pagination } = await paged(found.orderBy('o.startsAt').orderBy('o.id'), input)
    return { data: await shown(db, caller, data), pagination }
  },
})

/** The window that an input describes. @throws VALIDATION_ERROR, FORBIDDEN, NOT_FOUND */
async function validated(call: Call<ReturnType<typeof contract.create.input.parse>>, nowMs: number) {
  const { caller, db } = call
  const { targets, exclude, effects, orgId, partnerId, startsAt, ...given } = call.input
  const tenant = await tenantOf(db, caller, { orgId, partnerId })
  requireOwner(caller, tenant, 'maintenance window')
  await requireWorkingOrganization(db, caller, tenant.orgId)
  const merged = { ...defaultEffects, ...effects }
  if (!hasEffect(merged)) throw invalid('effects: at least one activity must have an effect')
  const fallback = await fallbackZone(db, tenant.partnerId)
  const zone = given.timezone === 'site' ? fallback : given.timezone
  const row = {
    ...given,
    startsAt: startsAt ?? localOf(zone, new Date(nowMs)),
    begunAt: startsAt === undefined ? new Date(nowMs).toISOString() : null,
    partnerId: tenant.partnerId,
    orgId: tenant.orgId,
    effects: merged,
    fallbackZone: fallback,
  }
  requireSound(row, nowMs)
  return { row, targets, exclude }
}
