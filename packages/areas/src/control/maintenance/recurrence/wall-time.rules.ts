// Local times of a zone as instants. Times are local in windows and instants in occurrences.

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    ...options,
  })
  formats.set(timezone, format)
  return format
}

/** The local time of an instant, as `YYYY-MM-DDTHH:mm:ss`. */
function wallTimeOf(timezone: string, atMs: number): string {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}`
}

const offsetAt = (timezone: string, atMs: number): number => {
  const wholeMs = Math.floor(atMs / 1_000) * 1_000
  return Date.parse(`${wallTimeOf(timezone, wholeMs)}Z`) - wholeMs
}

const dayMs = 86_400_000

/**
 * All instants of a local time `YYYY-MM-DDTHH:mm`, two where the clock shows it twice. A time that a change of the clock skips
 * moves by as much as the clock does.
 */
export function instantsOf(timezone: string, local: string): [Date, ...Date[]] {
  const wall = Date.parse(`${local}:00Z`)
  const [before, after] = [offsetAt(timezone, wall - dayMs), offsetAt(timezone, wall + dayMs)]
  const exact = [...new Set([before, after])].filter((offset) => offsetAt(timezone, wall - offset) === offset)
  const [first = before, ...others] = exact.sort((one, other) => other - one)
  return [new Date(wall - first), ...others.map((offset) => new Date(wall - offset))]
}

/** The instant of a local time; of one that comes twice the first. */
export const instantOf = (timezone: string, local: string): Date => instantsOf(timezone, local)[0]

/** The local time of an instant, as `YYYY-MM-DDTHH:mm`. */
export const localOf = (timezone: string, at: Date): string => wallTimeOf(timezone, at.getTime()).slice(0, 16)
