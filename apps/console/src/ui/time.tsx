import { createContext, use, useMemo, useSyncExternalStore } from 'react'
import { Tip } from './Tip.tsx'

/** How the partner wants moments written; what is not set follows the browser. */
export interface TimeSettings {
  readonly timezone?: string | null | undefined
  readonly dateFormat?: string | null | undefined
  readonly timeFormat?: string | null | undefined
}
export const TimeContext = createContext<TimeSettings>({})

/** Writes moments as the partner's settings say. */
export function useTimes() {
  const settings = use(TimeContext)
  return useMemo(
    () => ({
      date: (iso: string) => writeDate(iso, settings),
      moment: (iso: string) => writeMoment(iso, settings),
    }),
    [settings],
  )
}

function writeDate(iso: string, { timezone, dateFormat }: TimeSettings): string {
  const at = new Date(iso)
  const zone = timezone ? { timeZone: timezone } : {}
  if (!dateFormat) return at.toLocaleDateString(undefined, { ...zone, dateStyle: 'medium' })
  const parts = new Intl.DateTimeFormat('en', {
    ...zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return dateFormat.replace('YYYY', part('year')).replace('MM', part('month')).replace('DD', part('day'))
}

function writeMoment(iso: string, settings: TimeSettings): string {
  const { timezone, timeFormat } = settings
  const time = new Date(iso).toLocaleTimeString(
    timeFormat === '24h' ? 'en-GB' : timeFormat === '12h' ? 'en-US' : undefined,
    {
      ...(timezone ? { timeZone: timezone } : {}),
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    },
  )
  return `${writeDate(iso, settings)} ${time}`
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
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' })

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
  const { moment } = useTimes()
  if (at === null) return <span className="text-muted">{never}</span>
  return (
    <Tip text={moment(at)}>
      <time dateTime={at}>{ago(at, current)}</time>
    </Tip>
  )
}

/** A moment, written out. */
export function Moment({ at, never = 'never' }: { readonly at: string | null; readonly never?: string }) {
  const { moment } = useTimes()
  if (at === null) return <span className="text-muted">{never}</span>
  return <time dateTime={at}>{moment(at)}</time>
}
