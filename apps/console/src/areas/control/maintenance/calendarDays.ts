// Days of a calendar, as `YYYY-MM-DD` in the user's time zone.
import { localOf } from '@muster/areas/control/maintenance/recurrence/wall-time.rules.ts'

export type View = 'month' | 'week'

const dayMs = 86_400_000
const atMs = (day: string) => Date.parse(`${day}T00:00Z`)
const plus = (day: string, days: number) => new Date(atMs(day) + days * dayMs).toISOString().slice(0, 10)
/** The Monday of its week. */
const mondayOf = (day: string) => plus(day, -((new Date(atMs(day)).getUTCDay() + 6) % 7))

/** The days of the week or of all weeks of the month that contains a day. */
export function daysShown(day: string, view: View): string[] {
  const first = mondayOf(view === 'week' ? day : `${day.slice(0, 7)}-01`)
  const weeks = [0, 1, 2, 3, 4, 5].filter(
    (week) => week === 0 || (view === 'month' && plus(first, week * 7).slice(0, 7) === day.slice(0, 7)),
  )
  return weeks.flatMap((week) => Array.from({ length: 7 }, (_, index) => plus(first, week * 7 + index)))
}

/** A day of the month or week before or after. */
export function moved(day: string, view: View, by: 1 | -1): string {
  if (view === 'week') return plus(day, 7 * by)
  const first = new Date(`${day.slice(0, 7)}-01T00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + by)
  return first.toISOString().slice(0, 10)
}

/** The days on which something takes place, among those shown. An end at midnight does not count for the next day. */
export function daysOf(
  { startsAt, endsAt }: { readonly startsAt: string; readonly endsAt: string },
  shown: readonly string[],
  timezone: string,
): string[] {
  const first = localOf(timezone, new Date(startsAt)).slice(0, 10)
  const last = localOf(timezone, new Date(Date.parse(endsAt) - 1)).slice(0, 10)
  return shown.filter((day) => day >= first && (day <= last || day === first))
}
