const minute = 60
const hour = 60 * minute
const day = 24 * hour
const steps = [minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour]
const daySteps = [day, 2 * day, 7 * day, 14 * day, 28 * day]

/** Seconds that the clocks of a time zone are ahead of UTC at a moment. */
function offsetAt(seconds: number, format: Intl.DateTimeFormat): number {
  const parts = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day: date = 1, hour: h = 0, minute: m = 0, second: s = 0 } = parts
  return Date.UTC(year, month - 1, date, h, m, s) / 1000 - Math.floor(seconds)
}

/**
 * Round moments between two others, in seconds since 1970: full hours or midnights of the time zone.
 * @param most how many fit
 * @param timezone of the IANA database; the browser's when absent
 */
export function timeTicks(from: number, to: number, most: number, timezone?: string | null): number[] {
  const step = [...steps, ...daySteps].find((each) => (to - from) / each <= Math.max(1, most)) ?? 28 * day
  const format = new Intl.DateTimeFormat('en', {
    ...(timezone && { timeZone: timezone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const ticks: number[] = []
  const first = Math.ceil((from + offsetAt(from, format)) / step) * step
  for (let local = first; ; local += step) {
    // The offset of the tick itself differs from that of `from` across a change of the clocks.
    const tick = local - offsetAt(local - offsetAt(from, format), format)
    if (tick > to) return ticks
    if (tick >= from) ticks.push(tick)
  }
}
