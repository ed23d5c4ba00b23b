import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localOf } from '../../../control/maintenance/recurrence/wall-time.rules.ts'
import { faultOfCron, nextTime, parseCron } from './next-time.rules.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** Longer than a clock shows times twice. */
const lookBackMs = dayMs / 8
const at = (text: string): number => Date.parse(text)

/** The times of a schedule in a span, as ISO texts. */
function timesOf(cron: string, timezone: string, from: string, to: string): string[] {
  const found: string[] = []
  let time = nextTime(cron, timezone, at(from) - 1)
  while (time !== null && time < at(to)) {
    found.push(new Date(time).toISOString().slice(0, 16))
    time = nextTime(cron, timezone, time)
  }
  return found
}

describe('cron-dst: a local time in a gap', () => {
  it('moves by the gap in Berlin', () => {
    const times = timesOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', '2026-03-31T00:00Z')
    expect(times).toEqual(['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'])
    expect(localOf('Europe/Berlin', new Date('2026-03-29T01:30Z'))).toBe('2026-03-29T03:30')
  })

  it('moves by half an hour in Lord Howe', () => {
    const times = timesOf('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', '2026-10-06T00:00Z')
    expect(times.map((time) => localOf('Australia/Lord_Howe', new Date(`${time}Z`)))).toEqual([
      '2026-10-04T02:45',
      '2026-10-05T02:15',
      '2026-10-06T02:15',
    ])
  })

  it('moves where the day begins with the gap in Cairo, and no day is left out', () => {
    const times = timesOf('0 0 * * *', 'Africa/Cairo', '2026-04-22T21:00Z', '2026-04-26T00:00Z')
    expect(times.map((time) => localOf('Africa/Cairo', new Date(`${time}Z`)))).toEqual([
      '2026-04-23T00:00',
      '2026-04-24T01:00',
      '2026-04-25T00:00',
      '2026-04-26T00:00',
    ])
  })
})

describe('cron-dst: a local time that comes twice', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', '2026-10-26T12:00Z', 2],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00Z', '2026-04-06T00:00Z', 2],
    ['Africa/Cairo', '30 23 * * *', '2026-10-29T00:00Z', '2026-10-31T00:00Z', 2],
  ])('runs once a day in %s', (timezone, cron, from, to, count) => {
    expect(timesOf(cron, timezone, from, to)).toHaveLength(count)
  })

  it('runs both times where the hour is starred', () => {
    expect(timesOf('30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T03:00Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ])
  })
})

it('cron-dst: starred hours run every hour through a gap, and not twice after it', () => {
  expect(timesOf('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T03:00Z')).toEqual([
    '2026-03-29T00:30',
    '2026-03-29T01:30',
    '2026-03-29T02:30',
  ])
})

/** Looks at every minute: when does the clock show a wanted time, for the first time or again, or skip it? */
function naive(cron: string, timezone: string, fromMs: number, toMs: number): number[] {
  const { isHourStarred, nextLocal } = parseCron(cron)
  const isWanted = (localMs: number) => nextLocal(localMs - minuteMs) === localMs
  const localAt = (atMs: number) => at(`${localOf(timezone, new Date(atMs))}:00Z`)
  const found = new Set<number>()
  const shown = new Set<number>()
  let before = localAt(fromMs - lookBackMs)
  for (let now = fromMs - lookBackMs; now < toMs; now += minuteMs) {
    const local = localAt(now)
    for (let skipped = before + minuteMs; skipped < local; skipped += minuteMs)
      if (isWanted(skipped)) found.add(now + skipped - before - minuteMs)
    if (isWanted(local) && (isHourStarred || !shown.has(local))) found.add(now)
    shown.add(local)
    before = local
  }
  return [...found].filter((time) => time >= fromMs && time < toMs).sort((a, b) => a - b)
}

const changes = [
  ['Europe/Berlin', '2026-03-29T00:00Z'],
  ['Europe/Berlin', '2026-10-25T00:00Z'],
  ['America/New_York', '2026-03-08T06:00Z'],
  ['America/New_York', '2026-11-01T05:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T14:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:00Z'],
  ['Africa/Cairo', '2026-04-23T21:00Z'],
  ['Africa/Cairo', '2026-10-29T20:00Z'],
  ['Asia/Kathmandu', '2026-05-01T00:00Z'],
] as const

it('cron-dst: the times around changes of the clock are those of a look at every minute', () => {
  const minute = fc.constantFrom('0', '15', '30', '45', '*/20', '59')
  const hour = fc.constantFrom('*', '0', '1', '2', '3', '23', '0-3', '*/2')
  const property = fc.property(minute, hour, fc.constantFrom(...changes), (minutes, hours, [timezone, change]) => {
    const cron = `${minutes} ${hours} * * *`
    const [from, to] = [at(change) - dayMs / 4, at(change) + dayMs / 4]
    const ours = timesOf(cron, timezone, new Date(from).toISOString(), new Date(to).toISOString())
    expect(ours).toEqual(naive(cron, timezone, from, to).map((time) => new Date(time).toISOString().slice(0, 16)))
  })
  fc.assert(property, { numRuns: 40 })
})

describe('a cron expression', () => {
  it.each(['', '* * * *', '* * * * * *', '61 * * * *', 'a b c d e', '0 0 30 2 *'])(
    'is refused where it is %j',
    (cron) => {
      expect(faultOfCron(cron, 'UTC', Date.now())).not.toBeNull()
    },
  )

  it.each(['0 9 * * 1-5', '*/5 * * * *', '0 0 L * *', '0 12 * * 1#1', '0 0 29 2 *'])(
    'is accepted where it is %s',
    (cron) => {
      expect(faultOfCron(cron, 'Europe/Berlin', Date.now())).toBeNull()
    },
  )
})
