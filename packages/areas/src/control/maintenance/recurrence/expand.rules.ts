// Expands a recurrence rule to days, without time zones: the zone is applied to each start afterward. RFC 5545, 3.3.10.
import type { Rule, Weekday } from './rule.rules.ts'

const dayMs = 86_400_000
/** Days since 1970-01-01, which was a Thursday. */
type Day = number
const dayOf = (year: number, month: number, date: number): Day => Date.UTC(year, month - 1, date) / dayMs
const weekdayOf = (day: Day): number => (((day + 3) % 7) + 7) % 7

interface Parts {
  readonly year: number
  readonly month: number
  readonly date: number
}
function partsOf(day: Day): Parts {
  const time = new Date(day * dayMs)
  return { year: time.getUTCFullYear(), month: time.getUTCMonth() + 1, date: time.getUTCDate() }
}

/** The days from `first` up to, without, `end`. */
interface Span {
  readonly first: Day
  readonly end: Day
}
const yearSpan = (year: number): Span => ({ first: dayOf(year, 1, 1), end: dayOf(year + 1, 1, 1) })
const monthSpan = (year: number, month: number): Span => ({
  first: dayOf(year, month, 1),
  end: dayOf(year, month + 1, 1),
})

/** With what the start fills in: a rule that names no day repeats the day of its start. */
function completed(rule: Rule, start: Day): Rule {
  const { frequency, monthDays, yearDays, weeks, weekdays, months } = rule
  if ([monthDays, yearDays, weeks, weekdays].some((list) => list.length > 0) || frequency === 'DAILY') return rule
  const { month, date } = partsOf(start)
  if (frequency === 'WEEKLY') return { ...rule, weekdays: [{ day: weekdayOf(start), nth: 0 }] }
  if (frequency === 'MONTHLY') return { ...rule, monthDays: [date] }
  return { ...rule, monthDays: [date], months: months.length > 0 ? months : [month] }
}

/** Periods of the rule's frequency from the one with the start on. */
function* periodsOf({ frequency, interval, weekStart }: Rule, start: Day, end: Day): Generator<Span> {
  const { year, month } = partsOf(start)
  if (frequency === 'DAILY') for (let day = start; day < end; day += interval) yield { first: day, end: day + 1 }
  else if (frequency === 'WEEKLY') {
    const week = start - ((weekdayOf(start) - weekStart + 7) % 7)
    for (let first = week; first < end; first += 7 * interval) yield { first: Math.max(first, start), end: first + 7 }
  } else if (frequency === 'MONTHLY')
    for (let index = month - 1, span: Span; ; index += interval) {
      span = monthSpan(year + Math.floor(index / 12), (index % 12) + 1)
      if (span.first >= end) return
      yield span
    }
  else for (let each = year; yearSpan(each).first < end; each += interval) yield yearSpan(each)
}

const isIn = (values: readonly number[], position: number, size: number): boolean =>
  values.includes(position) || values.includes(position - size - 1)

/** Weeks belong to the year in which they have at least four days. */
function isInWeeks(day: Day, weeks: readonly number[], weekStart: number): boolean {
  const firstOf = (year: number) => {
    const fourth = dayOf(year, 1, 4)
    return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7)
  }
  const { year } = partsOf(day)
  const owner = day < firstOf(year) ? year - 1 : day >= firstOf(year + 1) ? year + 1 : year
  const first = firstOf(owner)
  return isIn(weeks, Math.floor((day - first) / 7) + 1, (firstOf(owner + 1) - first) / 7)
}

/** Numbered weekdays count within the month, or within the year if a yearly rule names no month. */
function isWeekday(day: Day, weekdays: readonly Weekday[], { frequency, months }: Rule): boolean {
  const weekday = weekdayOf(day)
  const { year, month } = partsOf(day)
  const isOfYear = frequency === 'YEARLY' && months.length === 0
  const { first, end } = isOfYear ? yearSpan(year) : monthSpan(year, month)
  return weekdays.some(
    ({ day: wanted, nth }) =>
      wanted === weekday &&
      (nth === 0 || (nth > 0 ? Math.floor((day - first) / 7) + 1 : -Math.floor((end - 1 - day) / 7) - 1) === nth),
  )
}

function isChosen(day: Day, rule: Rule): boolean {
  const { months, monthDays, yearDays, weeks, weekdays, weekStart } = rule
  const { year, month, date } = partsOf(day)
  if (months.length > 0 && !months.includes(month)) return false
  if (monthDays.length > 0) {
    const { first, end } = monthSpan(year, month)
    if (!isIn(monthDays, date, end - first)) return false
  }
  if (yearDays.length > 0) {
    const { first, end } = yearSpan(year)
    if (!isIn(yearDays, day - first + 1, end - first)) return false
  }
  if (weeks.length > 0 && !isInWeeks(day, weeks, weekStart)) return false
  return weekdays.length === 0 || isWeekday(day, weekdays, rule)
}

const positioned = (days: readonly Day[], positions: readonly number[]): readonly Day[] =>
  positions.length === 0 ? days : days.filter((_, index) => isIn(positions, index + 1, days.length))

export interface Expansion {
  /** Starts before this local time are left out; they still count toward COUNT. */
  readonly from: string
  /** No start is at or after this local time. */
  readonly before: string
  readonly max: number
}

/** The local starts of a rule, as `YYYY-MM-DDTHH:mm`, in order. @param startsAt the local time of the first possible start */
export function expandRule(rule: Rule, startsAt: string, { from, before, max }: Expansion): string[] {
  const [date = '', time = ''] = startsAt.split('T')
  const start = Date.parse(`${date}T00:00:00Z`) / dayMs
  const full = completed(rule, start)
  const last = Date.parse(`${before.slice(0, 10)}T00:00:00Z`) / dayMs + 1
  const found: string[] = []
  let counted = 0
  for (const { first, end } of periodsOf(full, start, last)) {
    const chosen: Day[] = []
    for (let day = first; day < end; day++) if (isChosen(day, full)) chosen.push(day)
    for (const day of positioned(chosen, full.positions)) {
      if (day < start) continue
      const local = `${new Date(day * dayMs).toISOString().slice(0, 10)}T${time}`
      if (local >= before || (full.until !== null && `${local}:00` > full.until)) return found
      if (full.count !== null && ++counted > full.count) return found
      if (local >= from) found.push(local)
      if (found.length >= max) return found
    }
  }
  return found
}
