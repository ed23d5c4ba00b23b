// Reads recurrence rules (RFC 5545). Frequencies below days are not supported, so a rule chooses days, and the start its time.

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const weekdays: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** A weekday from 0 (Monday) to 6, and which of its occurrences in the period counts: 1 the first, -1 the last, 0 all. */
export interface Weekday {
  readonly day: number
  readonly nth: number
}

export interface Rule {
  readonly frequency: (typeof frequencies)[number]
  readonly interval: number
  readonly count: number | null
  /** The last possible start, as `YYYY-MM-DDTHH:mm:ss`. */
  readonly until: string | null
  readonly months: readonly number[]
  readonly monthDays: readonly number[]
  readonly yearDays: readonly number[]
  readonly weeks: readonly number[]
  readonly weekdays: readonly Weekday[]
  readonly positions: readonly number[]
  /** The first day of weeks. */
  readonly weekStart: number
}

export const ruleCharsMax = 500
const valuesMax = 400

/** A rule that cannot be read, with the reason. */
export class RuleError extends Error {}

const known = [
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'BYMONTH',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYDAY',
  'BYSETPOS',
  'WKST',
]

function partsOf(text: string): Map<string, string> {
  const parts = new Map<string, string>()
  for (const part of text
    .replace(/^RRULE:/i, '')
    .toUpperCase()
    .split(';')) {
    const [name = '', value = '', ...more] = part.split('=')
    if (/^BY(HOUR|MINUTE|SECOND)$/.test(name)) throw new RuleError(`${name} is not supported: windows start once a day`)
    if (!known.includes(name) || value === '' || more.length > 0)
      throw new RuleError(`${part || 'an empty part'} is unknown`)
    if (parts.has(name)) throw new RuleError(`${name} is given twice`)
    parts.set(name, value)
  }
  return parts
}

/** @throws RuleError */
export function parseRule(text: string): Rule {
  if (text.length > ruleCharsMax) throw new RuleError(`more than ${ruleCharsMax} characters`)
  const parts = partsOf(text)
  const numbers = (name: string, most: number, negative = true): number[] => {
    const values = parts.get(name)?.split(',') ?? []
    if (values.length > valuesMax) throw new RuleError(`${name} has too many values`)
    return values.map((value) => {
      const number = /^[+-]?\d{1,3}$/.test(value) ? Number(value) : 0
      if (number === 0 || Math.abs(number) > most || (number < 0 && !negative))
        throw new RuleError(`${name} has the value ${value}, which is not ${negative ? '±' : ''}1 to ${most}`)
      return number
    })
  }
  const positive = (name: string): number | null => {
    const value = parts.get(name)
    if (value === undefined) return null
    if (!/^\d{1,5}$/.test(value) || Number(value) === 0) throw new RuleError(`${name} must be 1 to 99999`)
    return Number(value)
  }
  const frequency = frequencies.find((name) => name === parts.get('FREQ'))
  if (frequency === undefined) throw new RuleError(`FREQ must be one of ${frequencies.join(', ')}`)
  const rule = {
    frequency,
    interval: positive('INTERVAL') ?? 1,
    count: positive('COUNT'),
    until: untilOf(parts.get('UNTIL')),
    months: numbers('BYMONTH', 12, false),
    monthDays: numbers('BYMONTHDAY', 31),
    yearDays: numbers('BYYEARDAY', 366),
    weeks: numbers('BYWEEKNO', 53),
    weekdays: (parts.get('BYDAY')?.split(',') ?? []).map(weekdayOf),
    positions: numbers('BYSETPOS', 366),
    weekStart: parts.has('WKST') ? weekdayOf(parts.get('WKST') ?? '').day : 0,
  }
  requireSound(rule)
  return rule
}

function requireSound(rule: Rule): void {
  const { frequency, count, until, monthDays, yearDays, weeks, positions } = rule
  if (count !== null && until !== null) throw new RuleError('COUNT and UNTIL exclude each other')
  if (frequency === 'WEEKLY' && monthDays.length > 0) throw new RuleError('BYMONTHDAY is not allowed with FREQ=WEEKLY')
  if (frequency !== 'YEARLY' && yearDays.length + weeks.length > 0)
    throw new RuleError('BYYEARDAY and BYWEEKNO are allowed with FREQ=YEARLY only')
  const isNth = rule.weekdays.some(({ nth }) => nth !== 0)
  if (isNth && (frequency === 'DAILY' || frequency === 'WEEKLY' || weeks.length > 0))
    throw new RuleError('BYDAY with a number is allowed with FREQ=MONTHLY and FREQ=YEARLY without BYWEEKNO')
  const chooses = [rule.months, monthDays, yearDays, weeks, rule.weekdays].some((list) => list.length > 0)
  if (positions.length > 0 && !chooses) throw new RuleError('BYSETPOS needs another BY… part')
}

function weekdayOf(value: string): Weekday {
  const [, nth = '', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(value) ?? []
  const day = weekdays.indexOf(name)
  const number = nth === '' ? 0 : Number(nth)
  if (day < 0 || (nth !== '' && number === 0) || Math.abs(number) > 53)
    throw new RuleError(`${value} is not a weekday such as MO, 1MO or -1FR`)
  return { day, nth: number }
}

/** `YYYYMMDD` or `YYYYMMDDTHHMMSS`, a local time. A day counts to its end. */
function untilOf(value: string | undefined): string | null {
  if (value === undefined) return null
  const [, year, month, day, hour = '23', minute = '59', second = '59'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/.exec(value) ?? []
  const until = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const parsed = new Date(`${until}Z`)
  if (year === undefined || Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 19) !== until)
    throw new RuleError('UNTIL must be a time such as 20261231T235900')
  return until
}
