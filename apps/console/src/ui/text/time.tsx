import { createContext, use, useMemo, useSyncExternalStore } from 'react'

/** How the partner wants moments written; what is not set follows the browser. */
export interface TimeSettings {
  readonly timezone?: string | null | undefined
  readonly dateFormat?: string | null | undefined
  readonly timeFormat?: string | null | undefined
}
export const TimeContext = createContext<TimeSettings>({})

/** The time zone in which moments are written. */
export const useZone = (): string => zoneOf(use(TimeContext))

/** Writes moments as the partner's settings say. */
export function useTimes() {
  const settings = use(TimeContext)
  return useMemo(() => {
    const date = dateWriter(settings)
    const time = timeWriter(settings)
    const minutes = timeWriter(settings, false)
    return {
      date,
      /** The time of day. */
      time: minutes,
      moment: (iso: string) => `${date(iso)} ${minutes(iso)}`,
      clock: (iso: string) => `${date(iso)} ${time(iso)}`,
      /** With seconds and the time zone. */
      exact: (iso: string) => `${date(iso)} ${time(iso)} ${zoneOf(settings)}`,
      tick: tickWriter(settings),
    }
  }, [settings])
}

// Made once for all moments of a list: a formatter costs far more than what it writes.
function dateWriter({ timezone, dateFormat }: TimeSettings): (iso: string) => string {
  const zone = timezone ? { timeZone: timezone } : {}
  if (!dateFormat) {
    const whole = new Intl.DateTimeFormat(undefined, { ...zone, dateStyle: 'medium' })
    return (iso) => whole.format(new Date(iso))
  }
  const pieces = new Intl.DateTimeFormat('en', { ...zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (iso) => {
    const parts = pieces.formatToParts(new Date(iso))
    const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
    return dateFormat.replace('YYYY', part('year')).replace('MM', part('month')).replace('DD', part('day'))
  }
}

const zoneOf = ({ timezone }: TimeSettings) => timezone || Intl.DateTimeFormat().resolvedOptions().timeZone

function timeWriter({ timezone, timeFormat }: TimeSettings, withSeconds = true): (iso: string) => string {
  const locale = timeFormat === '24h' ? 'en-GB' : timeFormat === '12h' ? 'en-US' : undefined
  const zone = timezone ? { timeZone: timezone } : {}
  const clock = new Intl.DateTimeFormat(locale, {
    ...zone,
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
  })
  return (iso) => clock.format(new Date(iso))
}

/** Labels of a time axis: the time of day, and the date at midnight. */
function tickWriter({ timezone, dateFormat, timeFormat }: TimeSettings): (seconds: number) => string {
  const locale = timeFormat === '24h' ? 'en-GB' : timeFormat === '12h' ? 'en-US' : undefined
  const zone = timezone ? { timeZone: timezone } : {}
  const clock = new Intl.DateTimeFormat(locale, { ...zone, hour: 'numeric', minute: '2-digit' })
  const plain = new Intl.DateTimeFormat('en', { ...zone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' })
  const short = new Intl.DateTimeFormat(undefined, { ...zone, month: 'short', day: 'numeric' })
  const date = dateFormat
    ? dateWriter({ timezone, dateFormat: dateFormat.replace(/[-/.]?YYYY[-/.]?/, '') })
    : (iso: string) => short.format(new Date(iso))
  return (seconds) => {
    const at = new Date(seconds * 1000)
    return plain.format(at) === '00:00' ? date(at.toISOString()) : clock.format(at)
  }
}

// One clock for all relative times on the page.
const tickMs = 10_000
let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
function subscribe(listen: () => void) {
  listeners.add(listen)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, tickMs)
  return () => {
    listeners.delete(listen)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

function ago(iso: string, at: number): string {
  const seconds = Math.round((Date.parse(iso) - at) / 1000)
  for (const [unit, size] of steps)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  // Clocks differ a little: what is to come within the minute is now.
  return seconds > -15 ? 'just now' : relative.format(Math.trunc(seconds / 10) * 10, 'second')
}

/** How long ago something was, with the moment itself as a tip. */
export function Ago({ at, never = 'never' }: { readonly at: string | null; readonly never?: string }) {
  const current = useSyncExternalStore(subscribe, () => now)
  const { exact } = useTimes()
  if (at === null) return <span className="text-muted">{never}</span>
  return (
    <time dateTime={at} title={exact(at)}>
      {ago(at, current)}
    </time>
  )
}

interface MomentProps {
  readonly at: string | null
  readonly never?: string
  /** For logs, where events of the same minute stand beside each other. */
  readonly seconds?: boolean
}
/** A moment, written out. */
export function Moment({ at, never = 'never', seconds = false }: MomentProps) {
  const { moment, exact, clock } = useTimes()
  if (at === null) return <span className="text-muted">{never}</span>
  return (
    <time dateTime={at} title={exact(at)}>
      {seconds ? clock(at) : moment(at)}
    </time>
  )
}
