// From the local schedule of a window to its occurrences.
import type { Db } from '@muster/db/database.ts'
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { expandRule } from './recurrence/expand.rules.ts'
import { parseRule, type Rule, RuleError } from './recurrence/rule.rules.ts'
import { instantOf, localOf } from './recurrence/wall-time.rules.ts'
import { deviceZone, refreshStatuses } from './window.queries.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** How far ahead occurrences are stored, and how many at most for each zone. */
const storedDays = 366
const storedMax = 400
const firstStartYears = 5
/** A rule without a start within this time after the stored ones has ended. */
const furtherYears = 30

export interface Schedule {
  readonly startsAt: string
  readonly durationMinutes: number
  readonly rrule: string | null
  readonly exDates: readonly string[]
  /** When a window without a given start was created. Its first occurrence begins then, in every zone. */
  readonly begunAt: string | null
}

type LocalSchedule = Omit<Schedule, 'begunAt'>

/** @throws VALIDATION_ERROR */
function ruleOf({ rrule }: Pick<Schedule, 'rrule'>): Rule | null {
  if (rrule === null) return null
  try {
    return parseRule(rrule)
  } catch (error) {
    if (error instanceof RuleError) throw invalid(`rrule: ${error.message}`)
    throw error
  }
}

const plus = (local: string, ms: number): string => new Date(Date.parse(`${local}:00Z`) + ms).toISOString().slice(0, 16)

/** The local starts from one time up to another. */
export function localStarts(schedule: LocalSchedule, from: string, before: string, max = storedMax): string[] {
  const { startsAt, exDates } = schedule
  const rule = ruleOf(schedule)
  if (rule === null) return startsAt >= from && startsAt < before ? [startsAt] : []
  const limit = max + exDates.length
  return expandRule(rule, startsAt, { from, before, max: limit })
    .filter((start) => !exDates.includes(start))
    .slice(0, max)
}

/**
 * @param timezone `site` stands for zones that are not known yet: local times are compared
 * @throws VALIDATION_ERROR if no start comes within five years, or if an occurrence would overlap the next one
 */
export function requireSound(schedule: Schedule & { readonly timezone: string }, nowMs: number): void {
  const durationMs = schedule.durationMinutes * minuteMs
  if (schedule.rrule === null && schedule.exDates.includes(schedule.startsAt))
    throw invalid('exDates: the only start of the window is excluded')
  // Zones differ by at most a day from UTC.
  const from = new Date(nowMs - durationMs - dayMs).toISOString().slice(0, 16)
  const years = new Date(nowMs)
  years.setUTCFullYear(years.getUTCFullYear() + firstStartYears)
  const starts = localStarts(schedule, from, years.toISOString().slice(0, 16), firstStartYears * storedMax)
  if (starts.length === 0)
    throw invalid(
      `${schedule.rrule === null ? 'startsAt' : 'rrule'}: the window has no start within ${firstStartYears} years`,
    )
  const zone = schedule.timezone === 'site' ? 'UTC' : schedule.timezone
  const instants = starts.map((start) => instantOf(zone, start).getTime())
  const overlaps = instants.some((start, index) => index > 0 && start < (instants[index - 1] ?? 0) + durationMs)
  if (overlaps) throw invalid('durationMinutes: an occurrence would still last when the next one starts')
}

export interface Planned {
  readonly timezone: string
  readonly localStart: string
  readonly startsAt: Date
  readonly endsAt: Date
}

/** How far ahead to look, and how many occurrences to find at most for each zone. */
interface Span {
  readonly days: number
  readonly max: number
}
/** Starts within the longest duration and the difference of zones before now: at most one a day. */
const lookedBackMax = 11
const stored: Span = { days: storedDays, max: storedMax }

/** The next occurrences, however late they are. */
export const nextOccurrences = (schedule: Schedule, zones: readonly string[], nowMs: number, max: number): Planned[] =>
  plannedOccurrences(schedule, zones, nowMs, { days: furtherYears * 366, max }).slice(0, max)

/** The occurrences that end after now, for each zone, in order. */
function plannedOccurrences(
  schedule: Schedule,
  zones: readonly string[],
  nowMs: number,
  { days, max }: Span,
): Planned[] {
  const durationMs = schedule.durationMinutes * minuteMs
  const begunAtMs = schedule.begunAt === null ? null : Date.parse(schedule.begunAt)
  const planned = zones.flatMap((timezone) => {
    // The times of two zones differ by up to 26 hours, and the first start is local to one of them.
    const from = localOf(timezone, new Date(nowMs - durationMs - 2 * dayMs))
    const before = localOf(timezone, new Date(nowMs + days * dayMs))
    // A few of the found ones have ended.
    const starts = localStarts(schedule, from, before, max + lookedBackMax)
    return starts
      .map((localStart, index) => {
        const begunMs = localStart === schedule.startsAt ? begunAtMs : null
        const startsAt = begunMs === null ? instantOf(timezone, localStart) : new Date(begunMs)
        const endMs = startsAt.getTime() + durationMs
        const next = starts[index + 1]
        // What began within a minute, or by the clock of another zone, ends when the next one starts.
        const endsAt =
          begunMs === null || next === undefined ? endMs : Math.min(endMs, instantOf(timezone, next).getTime())
        return { timezone, localStart, startsAt, endsAt: new Date(endsAt) }
      })
      .filter(({ endsAt }) => endsAt.getTime() > nowMs)
      .slice(0, max)
  })
  return planned.sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
}

/** The zones in which a window has occurrences: its own, or those of the sites of its devices. */
export async function zonesOf(db: Db, setId: string, timezone: string, fallback: string): Promise<string[]> {
  if (timezone !== 'site') return [timezone]
  const { rows } = await sql<{ zone: string }>`
    SELECT DISTINCT ${deviceZone('d', sql`${fallback}`)} AS zone FROM target_sets t CROSS JOIN LATERAL devices_of_targets(t) d
    WHERE t.id = ${setId}::uuid ORDER BY 1`.execute(db)
  return rows.length === 0 ? [fallback] : rows.map(({ zone }) => zone)
}

/** The zone for devices without a site: the partner's, if it has set one. */
export async function fallbackZone(db: Db, partnerId: string): Promise<string> {
  const { rows } = await sql<{ zone: string | null }>`
    SELECT settings ->> 'timezone' AS zone FROM partners WHERE id = ${partnerId}::uuid`.execute(db)
  return rows[0]?.zone ?? 'UTC'
}

export interface ScheduledWindow extends Schedule {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly timezone: string
  readonly fallbackZone: string
  readonly targetSetId: string
}

/** Stores the occurrences of the next year. Those that are stored already keep their ids; others that have not started go. */
export async function storeOccurrences(db: Db, window: ScheduledWindow, nowMs: number): Promise<void> {
  const zones = await zonesOf(db, window.targetSetId, window.timezone, window.fallbackZone)
  const planned = plannedOccurrences(window, zones, nowMs, stored)
  const column = <Key extends keyof Planned>(key: Key) => planned.map((each) => each[key])
  await sql`
    DELETE FROM maintenance_occurrences o WHERE o.window_id = ${window.id}::uuid AND o.status = 'scheduled'
      AND (o.timezone, o.local_start) NOT IN (SELECT * FROM unnest(${column('timezone')}::text[], ${column('localStart')}::text[]))`.execute(
    db,
  )
  await sql`
    INSERT INTO maintenance_occurrences (window_id, partner_id, org_id, timezone, local_start, starts_at, ends_at)
    SELECT ${window.id}::uuid, ${window.partnerId}::uuid, ${window.orgId}::uuid, planned.*
    FROM unnest(${column('timezone')}::text[], ${column('localStart')}::text[],
      ${column('startsAt')}::timestamptz[], ${column('endsAt')}::timestamptz[]) AS planned
    ON CONFLICT (window_id, timezone, local_start) DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at
      WHERE maintenance_occurrences.status = 'scheduled'`.execute(db)
  const until = new Date(nowMs + storedDays * dayMs)
  const local = until.toISOString().slice(0, 16)
  const continues = localStarts(window, plus(local, -dayMs), plus(local, furtherYears * 366 * dayMs), 1).length > 0
  await db
    .updateTable('maintenanceWindows')
    .set({ zones, scheduledUntil: until.toISOString(), continues })
    .where('id', '=', window.id)
    .execute()
  await refreshStatuses(db, [window.id])
}
