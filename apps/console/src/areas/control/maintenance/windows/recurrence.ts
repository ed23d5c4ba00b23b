// Recurrence rules as people choose them. What the plain fields cannot say stays a rule in text.
import { parseRule, type Rule, RuleError } from '@muster/areas/control/maintenance/recurrence/rule.rules.ts'
import { many } from '../../../../ui/text/quantity.ts'

export const weekdays = [
  ['MO', 'Monday'],
  ['TU', 'Tuesday'],
  ['WE', 'Wednesday'],
  ['TH', 'Thursday'],
  ['FR', 'Friday'],
  ['SA', 'Saturday'],
  ['SU', 'Sunday'],
] as const
type Day = (typeof weekdays)[number][0]

export const positions = [
  ['1', 'first'],
  ['2', 'second'],
  ['3', 'third'],
  ['4', 'fourth'],
  ['-1', 'last'],
] as const

export interface Recurrence {
  readonly kind: 'once' | 'daily' | 'weekly' | 'monthly' | 'custom'
  /** Days, weeks or months between two occurrences. */
  readonly every: number
  readonly days: readonly Day[]
  readonly monthly: 'date' | 'weekday'
  /** 1 to 31, or -1 for the last day. */
  readonly monthDay: number
  readonly position: string
  readonly weekday: Day
  readonly end: 'never' | 'until' | 'count'
  /** A day such as 2026-12-31. */
  readonly until: string
  readonly count: number
  readonly rule: string
}

const dayMs = 86_400_000
const indexOfDay = (local: string) => (new Date(`${local.slice(0, 10)}T00:00Z`).getUTCDay() + 6) % 7
const dayAt = (index: number): Day => weekdays[index]?.[0] ?? 'MO'

/** What the fields say at first: the days on which the window starts. */
export function plainRecurrence(startsAt: string): Recurrence {
  const date = Number(startsAt.slice(8, 10)) || 1
  const day = dayAt(indexOfDay(startsAt))
  return {
    kind: 'once',
    every: 1,
    days: [day],
    monthly: 'date',
    monthDay: date,
    position: String(Math.min(4, Math.ceil(date / 7))),
    weekday: day,
    end: 'never',
    until: new Date(Date.parse(`${startsAt.slice(0, 10)}T00:00Z`) + 90 * dayMs).toISOString().slice(0, 10),
    count: 10,
    rule: '',
  }
}

/** The fields for a stored rule. */
export function recurrenceOf(rrule: string | null, startsAt: string): Recurrence {
  const plain = plainRecurrence(startsAt)
  if (rrule === null) return plain
  const custom: Recurrence = { ...plain, kind: 'custom', rule: rrule }
  const rule = soundRule(rrule)
  if (rule === null) return custom
  const fields = fieldsOf(rule)
  return fields === null ? custom : { ...plain, ...fields, ...endOf(rule, plain), rule: rrule }
}

function soundRule(text: string): Rule | null {
  try {
    return parseRule(text)
  } catch (error) {
    if (error instanceof RuleError) return null
    throw error
  }
}

/** What the plain fields say; null when they cannot. */
function fieldsOf(rule: Rule): Partial<Recurrence> | null {
  const { frequency, interval: every, months, monthDays, yearDays, weeks, positions: set, weekStart } = rule
  const isLateUntil = rule.until !== null && !rule.until.endsWith('T23:59:59')
  if ([months, yearDays, weeks, set].some((list) => list.length > 0) || weekStart !== 0 || isLateUntil) return null
  const days = rule.weekdays.map(({ day }) => dayAt(day))
  const [first] = rule.weekdays
  if (frequency === 'DAILY') return monthDays.length + days.length > 0 ? null : { kind: 'daily', every }
  if (frequency === 'WEEKLY') return { kind: 'weekly', every, ...(days.length > 0 && { days }) }
  if (frequency !== 'MONTHLY') return null
  if (first === undefined) {
    const [monthDay, ...more] = monthDays
    if (more.length > 0 || (monthDay !== undefined && monthDay < -1)) return null
    return { kind: 'monthly', every, monthly: 'date', ...(monthDay !== undefined && { monthDay }) }
  }
  const position = String(first.nth)
  if (monthDays.length > 0 || days.length > 1 || !positions.some(([each]) => each === position)) return null
  return { kind: 'monthly', every, monthly: 'weekday', position, weekday: dayAt(first.day) }
}

function endOf({ until, count }: Rule, plain: Recurrence): Pick<Recurrence, 'end' | 'until' | 'count'> {
  if (until !== null) return { end: 'until', until: until.slice(0, 10), count: plain.count }
  return { end: count === null ? 'never' : 'count', until: plain.until, count: count ?? plain.count }
}

/** The rule that the fields stand for; null for a window that happens once. */
export function ruleOf(recurrence: Recurrence): string | null {
  const { kind, every, days, monthly, monthDay, position, weekday, end, until, count, rule } = recurrence
  if (kind === 'once') return null
  if (kind === 'custom') return rule.trim()
  const parts = [`FREQ=${kind.toUpperCase()}`, ...(every > 1 ? [`INTERVAL=${every}`] : [])]
  if (kind === 'weekly') parts.push(`BYDAY=${weekdays.flatMap(([day]) => (days.includes(day) ? [day] : [])).join(',')}`)
  if (kind === 'monthly') parts.push(monthly === 'date' ? `BYMONTHDAY=${monthDay}` : `BYDAY=${position}${weekday}`)
  if (end === 'until') parts.push(`UNTIL=${until.replaceAll('-', '')}`)
  if (end === 'count') parts.push(`COUNT=${count}`)
  return parts.join(';')
}

/** Why the recurrence cannot be saved; undefined when it can. The server judges the rest. */
export function faultOfRecurrence({ kind, every, days, end, until, count, rule }: Recurrence): string | undefined {
  if (kind === 'once') return undefined
  if (kind === 'custom') {
    if (rule.trim() === '') return 'Enter a recurrence rule'
    try {
      parseRule(rule.trim())
      return undefined
    } catch (error) {
      if (error instanceof RuleError) return `Recurrence rule: ${error.message}`
      throw error
    }
  }
  if (!Number.isInteger(every) || every < 1) return 'Enter how often it repeats'
  if (kind === 'weekly' && days.length === 0) return 'Select a day of the week'
  if (end === 'until' && until === '') return 'Enter the last day'
  return end === 'count' && (!Number.isInteger(count) || count < 1) ? 'Enter the number of occurrences' : undefined
}

const ordinal = (day: number): string => (day === -1 ? 'the last day' : `day ${day}`)
const nameOf = (day: Day): string => weekdays.find(([each]) => each === day)?.[1] ?? day

/** A stored rule in words. */
export function recurrenceWords(rrule: string | null, startsAt: string): string {
  const { kind, every, days, monthly, monthDay, position, weekday, end, until, count } = recurrenceOf(rrule, startsAt)
  if (kind === 'once') return 'Once'
  if (kind === 'custom') return rrule ?? ''
  const unit = { daily: 'day', weekly: 'week', monthly: 'month' }[kind]
  const which =
    kind === 'weekly'
      ? ` on ${days.map(nameOf).join(', ')}`
      : kind === 'monthly'
        ? monthly === 'date'
          ? ` on ${ordinal(monthDay)}`
          : ` on the ${positions.find(([each]) => each === position)?.[1]} ${nameOf(weekday)}`
        : ''
  const last = end === 'until' ? `, until ${until}` : end === 'count' ? `, ${many(count, 'time')}` : ''
  const often = every === 1 ? { daily: 'Daily', weekly: 'Weekly', monthly: 'Monthly' }[kind] : `Every ${every} ${unit}s`
  return `${often}${which}${last}`
}
