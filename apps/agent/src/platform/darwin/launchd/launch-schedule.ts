import { nextRun } from '../../posix/cron-schedule.ts'
import { commandOf, type Daemon } from './daemons.ts'

/** The keys of a calendar entry in the order of cron's fields. */
const calendarKeys = ['Minute', 'Hour', 'Day', 'Month', 'Weekday']

/** The schedule in the words of launchd: `StartInterval=3600`, `Hour=3 Minute=15; Weekday=1`. */
export function scheduleOf(daemon: Daemon): string {
  const interval = daemon.StartInterval === undefined ? [] : [`StartInterval=${daemon.StartInterval}`]
  const entries = calendarOf(daemon).map((entry) => {
    const fields = Object.entries(entry).map(([key, value]) => `${key}=${value}`)
    return fields.length === 0 ? 'every minute' : fields.join(' ')
  })
  return [...interval, ...entries].join('; ')
}

const calendarOf = ({ StartCalendarInterval: calendar }: Daemon) =>
  calendar === undefined ? [] : Array.isArray(calendar) ? calendar : [calendar]

/** launchd matches an entry as cron does: a missing key is open, and of a day and a weekday either one counts. */
export function nextLaunch(daemon: Daemon, afterMs: number): string | null {
  const runs = calendarOf(daemon).flatMap((entry) => {
    const fields = calendarKeys.map((key) => String(entry[key] ?? '*'))
    return nextRun(fields.join(' '), afterMs) ?? []
  })
  // An interval counts from a moment that launchd does not tell.
  return runs.length === 0 ? null : new Date(Math.min(...runs)).toISOString()
}

/** A scheduled service of launchd as a task. */
export function taskOf(daemon: Daemon, isEnabled: boolean) {
  return {
    path: `timer:${daemon.Label}`,
    name: daemon.Label,
    kind: 'timer' as const,
    enabled: isEnabled,
    schedule: scheduleOf(daemon),
    user: daemon.UserName ?? 'root',
    command: commandOf(daemon),
    nextRunAt: isEnabled ? nextLaunch(daemon, Date.now()) : null,
    lastRunAt: null,
  }
}
