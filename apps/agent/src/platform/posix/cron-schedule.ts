// The next run of a cron line, in the local time of this machine.

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const minuteMs = 60_000
/** February 29 can be eight years away. */
const horizonMs = 8.1 * 366 * 86_400_000

interface Field {
  readonly allowed: ReadonlySet<number>
  /** Starts with an asterisk. */
  readonly isOpen: boolean
}

interface Schedule {
  readonly minutes: Field
  readonly hours: Field
  readonly days: Field
  readonly months: Field
  readonly weekdays: Field
}

interface Names {
  readonly names?: readonly string[]
  /** Of the first name. */
  readonly from?: number
}

function fieldOf(text: string, least: number, most: number, { names = [], from = 0 }: Names = {}): Field | undefined {
  const allowed = new Set<number>()
  const numberOf = (word: string) => {
    const named = names.indexOf(word.toLowerCase())
    return named >= 0 ? named + from : /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN
  }
  for (const part of text.split(',')) {
    const [range = '', stepText, ...more] = part.split('/')
    const [first = '', last, ...others] = range.split('-')
    const step = stepText === undefined ? 1 : Number(stepText)
    const start = first === '*' ? least : numberOf(first)
    const isSpan = first === '*' || stepText !== undefined
    const end = last === undefined ? (isSpan ? most : start) : numberOf(last)
    const isRight = start >= least && end <= most && start <= end && Number.isInteger(step) && step >= 1
    if (!isRight || more.length + others.length > 0 || (first === '*' && last !== undefined)) return undefined
    for (let value = start; value <= end; value += step) allowed.add(value)
  }
  return { allowed, isOpen: text.startsWith('*') }
}

/** Parses the five fields of a line; undefined for `@reboot` and random schedules. */
export function parseSchedule(text: string): Schedule | undefined {
  const fields = (nicknames[text] ?? text).split(' ')
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5) return undefined
  const parsed = {
    minutes: fieldOf(minute, 0, 59),
    hours: fieldOf(hour, 0, 23),
    days: fieldOf(day, 1, 31),
    months: fieldOf(month, 1, 12, { names: months, from: 1 }),
    weekdays: fieldOf(weekday, 0, 7, { names: weekdays }),
  }
  const { minutes, hours, days, months: inMonths, weekdays: onWeekdays } = parsed
  if (!minutes || !hours || !days || !inMonths || !onWeekdays) return undefined
  // Sunday has two numbers.
  const allowed = new Set([...onWeekdays.allowed].map((number) => number % 7))
  return { minutes, hours, days, months: inMonths, weekdays: { ...onWeekdays, allowed } }
}

/** With both a day of the month and a day of the week, either one matches. */
function isDay({ days, months, weekdays }: Schedule, date: Date): boolean {
  if (!months.allowed.has(date.getMonth() + 1)) return false
  const [isOfMonth, isOfWeek] = [days.allowed.has(date.getDate()), weekdays.allowed.has(date.getDay())]
  return days.isOpen || weekdays.isOpen ? isOfMonth && isOfWeek : isOfMonth || isOfWeek
}

const minuteOfDay = (date: Date) => date.getHours() * 60 + date.getMinutes()

/** Whether a scheduled time was just skipped because the clock went forward. cron then runs it at once. */
function isSkippedTime({ minutes, hours }: Schedule, atMs: number): boolean {
  if (hours.isOpen) return false
  const [before, now] = [minuteOfDay(new Date(atMs - minuteMs)), minuteOfDay(new Date(atMs))]
  const left = (now - before + 1_440) % 1_440
  if (left > 180) return false
  for (let minute = before + 1; minute < before + left; minute++)
    if (hours.allowed.has(Math.floor((minute % 1_440) / 60)) && minutes.allowed.has(minute % 60)) return true
  return false
}

/** Whether this time of day repeats because the clock went back. A line with a fixed hour ran the first time. */
const isRepeated = ({ hours }: Schedule, date: Date): boolean =>
  !hours.isOpen &&
  new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes()).getTime() <
    date.getTime()

/** The first run after a time; null when it never runs, or when that is unknown. */
export function nextRun(text: string, afterMs: number): number | null {
  const schedule = parseSchedule(text)
  if (schedule === undefined) return null
  for (let atMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs; atMs - afterMs < horizonMs; ) {
    const date = new Date(atMs)
    if (!isDay(schedule, date)) {
      atMs = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime()
      continue
    }
    if (isSkippedTime(schedule, atMs)) return atMs
    if (!schedule.hours.allowed.has(date.getHours())) atMs += (60 - date.getMinutes()) * minuteMs
    else if (!schedule.minutes.allowed.has(date.getMinutes()) || isRepeated(schedule, date)) atMs += minuteMs
    else return atMs
  }
  return null
}
