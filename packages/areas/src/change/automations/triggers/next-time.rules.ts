// When a schedule is due. Cron expressions are evaluated over local times, which then become instants: a time in a gap moves by
// the gap, and a repeated one runs once, unless the hour is starred.
import { Cron } from 'croner'
import { instantsOf, localOf } from '../../../control/maintenance/recurrence/wall-time.rules.ts'

const minuteMs = 60_000
/** Longer than any change of a clock. */
const marginMs = 3 * 3_600_000
/** Without a time within so many years an expression has none. */
const furthestYears = 10

/** A cron expression over local times, which are written as if they were UTC. */
export interface Expression {
  readonly isHourStarred: boolean
  /** The first local time after this one, in milliseconds as if in UTC; null if there is none. */
  nextLocal(afterMs: number): number | null
}

const known = new Map<string, Expression>()
const knownMax = 1_000

/** @throws Error for text that is no cron expression of five fields */
export function parseCron(text: string): Expression {
  const found = known.get(text)
  if (found !== undefined) return found
  const cron = new Cron(text, { mode: '5-part', timezone: 'UTC', paused: true })
  const [, hour = ''] = text.trim().split(/\s+/)
  const expression: Expression = {
    isHourStarred: hour.startsWith('*'),
    nextLocal: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() ?? null,
  }
  if (known.size >= knownMax) known.clear()
  known.set(text, expression)
  return expression
}

const asLocalMs = (timezone: string, atMs: number): number => Date.parse(`${localOf(timezone, new Date(atMs))}:00Z`)

/** The instants at which a local time is due. */
function dueAt({ isHourStarred }: Expression, timezone: string, localMs: number): number[] {
  const instants = instantsOf(timezone, new Date(localMs).toISOString().slice(0, 16)).map((at) => at.getTime())
  return isHourStarred ? instants : instants.slice(0, 1)
}

const isSteady = (timezone: string, atMs: number): boolean =>
  asLocalMs(timezone, atMs + marginMs) - asLocalMs(timezone, atMs - marginMs) === 2 * marginMs

/** The first time after an instant at which the expression is due; null if there is none. */
export function nextTime(cron: string, timezone: string, afterMs: number): number | null {
  const expression = parseCron(cron)
  const begin = Math.floor(afterMs / minuteMs) * minuteMs
  const plain = expression.nextLocal(asLocalMs(timezone, begin))
  const [first] = plain === null ? [] : dueAt(expression, timezone, plain)
  if (first === undefined && isSteady(timezone, begin)) return null
  if (first !== undefined && isSteady(timezone, begin) && isSteady(timezone, first)) return first
  return nearChange(expression, timezone, begin, first ?? begin + marginMs)
}

/** Near a change of the clock the order of local times is not that of the instants. */
function nearChange(expression: Expression, timezone: string, afterMs: number, untilMs: number): number | null {
  const last = asLocalMs(timezone, untilMs) + marginMs
  let soonest: number | null = null
  let local = expression.nextLocal(asLocalMs(timezone, afterMs) - marginMs - minuteMs)
  while (local !== null && local <= last) {
    for (const at of dueAt(expression, timezone, local))
      if (at > afterMs && (soonest === null || at < soonest)) soonest = at
    // All that is due earlier has a local time within the margin.
    if (soonest !== null && local > asLocalMs(timezone, soonest) + marginMs) break
    local = expression.nextLocal(local)
  }
  return soonest
}

/** Why a text is no schedule; null if it is one. */
export function faultOfCron(cron: string, timezone: string, nowMs: number): string | null {
  try {
    const next = nextTime(cron, timezone, nowMs)
    const furthest = nowMs + furthestYears * 366 * 86_400_000
    return next === null || next > furthest ? `has no time within ${furthestYears} years` : null
  } catch (error) {
    const words = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    return `must be a cron expression of five fields such as "30 2 * * 1-5"${words === '' ? '' : `: ${words}`}`
  }
}
