// Whether a time is within the business hours of a partner.
import { z } from 'zod'

const days: readonly string[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const Day = z.object({ start: z.string(), end: z.string(), closed: z.boolean().optional() })
const Settings = z.object({
  timezone: z.string().nullish(),
  businessHours: z
    .object({ preset: z.string().nullish(), custom: z.record(z.string(), Day.nullish()).nullish() })
    .nullish(),
})

const presets: Readonly<Record<string, readonly [string, string]>> = {
  business: ['09:00', '17:00'],
  extended: ['07:00', '19:00'],
}

/** Without settings every hour is a business hour. */
export function isBusinessHour(settings: unknown, atMs: number): boolean {
  const parsed = Settings.safeParse(settings)
  const hours = parsed.success ? parsed.data.businessHours : null
  const preset = hours?.preset ?? '24/7'
  if (preset === '24/7') return true
  const { day, clock } = localTime(parsed.success ? (parsed.data.timezone ?? 'UTC') : 'UTC', atMs)
  if (preset === 'custom') {
    const custom = hours?.custom?.[days[day] ?? '']
    return custom != null && custom.closed !== true && isBetween(clock, custom.start, custom.end)
  }
  const [start, end] = presets[preset] ?? ['00:00', '24:00']
  return day >= 1 && day <= 5 && isBetween(clock, start, end)
}

/** Hours can end on the next day. */
const isBetween = (clock: string, start: string, end: string): boolean =>
  start < end ? clock >= start && clock < end : clock >= start || clock < end

function localTime(timeZone: string, atMs: number): { day: number; clock: string } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
  const day = days.indexOf(parts.weekday?.toLowerCase() ?? '')
  return { day, clock: `${parts.hour}:${parts.minute}` }
}
