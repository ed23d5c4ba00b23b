// Whether maintenance windows permit an activity. Times decide, not the stored states, so that no job has to run in between.
import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inTargets } from '../../fleet/targets/index.ts'
import type { Activity, Effects, Verdict } from './maintenance.contract.ts'
import { deviceZone, isInEffect } from './window.queries.ts'

const permitted: Verdict = { permitted: true, reason: null, windowId: null, until: null, nextPermittedAt: null }

/** A window that targets a device, as it is for the device now. */
interface Fact {
  readonly deviceId: string
  readonly windowId: string
  readonly effects: Effects
  /** When the active occurrence ends; null if none is active. */
  readonly activeUntil: string | null
  readonly nextStart: string | null
  /** The occurrences for the zone of the device are not known. */
  readonly isUnknown: boolean
}

/** Windows `w` that are not over, and their target sets `t`, for `devices`. */
const openWindows = sql`maintenance_windows w JOIN target_sets t ON t.id = w.target_set_id
  AND w.partner_id = devices.partner_id AND w.status IN ('scheduled', 'active') AND ${inTargets('t', 'devices')}`
const zone = deviceZone('devices', sql`w.fallback_zone`)
const isUnknown = sql<SqlBool>`(w.scheduled_until < now() OR w.timezone = 'site' AND ${zone} <> ALL (w.zones))`
const ofDevice = sql<SqlBool>`(o.window_id = w.id AND (w.timezone <> 'site' OR o.timezone = ${zone}))`

async function factsOf(db: Db, deviceIds: readonly string[]): Promise<Map<string, Fact[]>> {
  const { rows } = await sql<Fact>`
    SELECT devices.id AS device_id, w.id AS window_id, w.effects, ${isUnknown} AS is_unknown,
      (SELECT max(o.ends_at) FROM maintenance_occurrences o WHERE ${ofDevice} AND ${isInEffect}) AS active_until,
      (SELECT min(o.starts_at) FROM maintenance_occurrences o WHERE ${ofDevice} AND o.status = 'scheduled' AND o.starts_at > now()) AS next_start
    FROM devices CROSS JOIN LATERAL (SELECT w.* FROM ${openWindows}) w
    WHERE devices.id = ANY (${[...deviceIds]}::uuid[])`.execute(db)
  return Map.groupBy(rows, ({ deviceId }) => deviceId)
}

const latest = (times: readonly (string | null)[]): string | null =>
  times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null)
const earliest = (times: readonly (string | null)[]): string | null =>
  times.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null)

function verdictOf(facts: readonly Fact[], activity: Activity): Verdict {
  const suppressing = facts.filter(
    ({ effects, activeUntil }) => effects[activity] === 'suppress' && activeUntil !== null,
  )
  const confining = facts.filter(({ effects }) => effects[activity] === 'confine')
  const nextStart = earliest(confining.map((fact) => fact.nextStart))
  const within = confining.find(({ activeUntil }) => activeUntil !== null)
  const [first] = suppressing
  if (first !== undefined) {
    const until = latest(suppressing.map(({ activeUntil }) => activeUntil))
    const isWithinThen =
      confining.length === 0 || confining.some(({ activeUntil }) => (activeUntil ?? '') > (until ?? ''))
    return {
      permitted: false,
      reason: 'suppressed',
      windowId: first.windowId,
      until,
      nextPermittedAt: isWithinThen ? until : nextStart,
    }
  }
  // Alerts are sent rather than lost; everything else waits until the windows are known.
  const unknown = facts.find(
    ({ isUnknown, effects }) => isUnknown && ['suppress', 'confine'].includes(effects[activity]),
  )
  if (unknown !== undefined && activity !== 'alerts')
    return { ...permitted, permitted: false, reason: 'unknown', windowId: unknown.windowId }
  if (within !== undefined) return { ...permitted, windowId: within.windowId, until: within.activeUntil }
  const [any] = confining
  if (any === undefined) return permitted
  const next = confining.find((fact) => fact.nextStart !== null && fact.nextStart === nextStart)
  const reason = next === undefined ? 'no_confining_window' : 'outside_window'
  return { permitted: false, reason, windowId: (next ?? any).windowId, until: null, nextPermittedAt: nextStart }
}

/** What the windows permit of one activity, by device. */
export async function verdictsOf(
  db: Db,
  deviceIds: readonly string[],
  activity: Activity,
): Promise<Map<string, Verdict>> {
  const facts = deviceIds.length === 0 ? new Map<string, Fact[]>() : await factsOf(db, deviceIds)
  return new Map(deviceIds.map((id) => [id, verdictOf(facts.get(id) ?? [], activity)]))
}

/** What the windows permit on one device. */
export async function verdictsByActivity<Name extends Activity>(
  db: Db,
  deviceId: string,
  activities: readonly Name[],
): Promise<[Name, Verdict][]> {
  const facts = (await factsOf(db, [deviceId])).get(deviceId) ?? []
  return activities.map((activity) => [activity, verdictOf(facts, activity)])
}

/** Whether the windows hold an activity back, as a condition on `devices`. The same rule as `verdictsOf`. */
export function heldBack(activity: Activity): RawBuilder<SqlBool> {
  const effect = sql`w.effects ->> ${sql.lit(activity)}`
  const active = sql`EXISTS (SELECT FROM maintenance_occurrences o WHERE ${ofDevice} AND ${isInEffect})`
  const isSuppressed = sql<SqlBool>`EXISTS (SELECT FROM ${openWindows} WHERE ${effect} = 'suppress' AND ${active})`
  if (activity === 'alerts') return isSuppressed
  return sql<SqlBool>`(${isSuppressed}
    OR EXISTS (SELECT FROM ${openWindows} WHERE ${effect} <> 'none' AND ${isUnknown})
    OR EXISTS (SELECT FROM ${openWindows} WHERE ${effect} = 'confine')
      AND NOT EXISTS (SELECT FROM ${openWindows} WHERE ${effect} = 'confine' AND ${active}))`
}

/** Counts in the active occurrences of windows how often they held an activity back. */
export async function countHeldBack(db: Db, activity: Activity, byWindow: ReadonlyMap<string, number>): Promise<void> {
  if (byWindow.size === 0) return
  await sql`
    UPDATE maintenance_occurrences o
    SET suppressed = jsonb_set(o.suppressed, ARRAY[${activity}::text], to_jsonb(coalesce((o.suppressed ->> ${activity})::int, 0) + held.times))
    FROM unnest(${[...byWindow.keys()]}::uuid[], ${[...byWindow.values()]}::int[]) AS held(window_id, times)
    WHERE o.window_id = held.window_id AND ${isInEffect}`.execute(db)
}
