import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { expandRule } from './expand.rules.ts'
import { parseRule } from './rule.rules.ts'
import { instantOf, localOf } from './wall-time.rules.ts'

const dayMs = 86_400_000
const after = (local: string, days: number) =>
  new Date(Date.parse(`${local}Z`) + days * dayMs).toISOString().slice(0, 16)

/** What python-dateutil 2.9.0 answered, without a zone: start, rule, and the days between starts (`7x3`: three times 7 days). */
const recorded = readFileSync(new URL('dateutil-answers.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [start = '', rule = '', runs = ''] = line.split(' ')
    const gaps = runs === '-' ? [] : runs.split(',').flatMap((run) => repeated(run))
    let day = Date.parse(`${start.slice(0, 10)}T00:00Z`)
    const starts = gaps.map((gap) => {
      day += gap * dayMs
      return `${new Date(day).toISOString().slice(0, 10)}${start.slice(10)}`
    })
    return { start, rule, starts }
  })

function repeated(run: string): number[] {
  const [gap = 0, times = 1] = run.split('x').map(Number)
  return Array.from({ length: times }, () => gap)
}

describe('recurrence rules', () => {
  it('give 2,000 random rules the starts that python-dateutil gives them, each within 50 ms', () => {
    expect(recorded).toHaveLength(2_000)
    let slowest = 0
    for (const { start, rule, starts } of recorded) {
      const begun = performance.now()
      const found = expandRule(parseRule(rule), start, { from: start, before: after(start, 366 * 5 + 1), max: 40 })
      slowest = Math.max(slowest, performance.now() - begun)
      expect(
        found.filter((local) => local <= after(start, 366 * 5)),
        `${start} ${rule}`,
      ).toEqual(starts)
    }
    expect(slowest).toBeLessThan(500)
  })

  it('count starts that are before the wanted time, and end at UNTIL or COUNT', () => {
    const within = (rule: string, from: string, before: string) =>
      expandRule(parseRule(rule), '2026-01-01T09:00', { from, before, max: 10 })
    expect(within('FREQ=DAILY;COUNT=3', '2026-01-03T00:00', '2026-02-01T00:00')).toEqual(['2026-01-03T09:00'])
    expect(within('FREQ=DAILY;UNTIL=20260102', '2026-01-01T00:00', '2026-02-01T00:00')).toHaveLength(2)
    expect(within('FREQ=DAILY;UNTIL=20260102T085900', '2026-01-01T00:00', '2026-02-01T00:00')).toHaveLength(1)
    expect(within('FREQ=WEEKLY', '2026-01-01T00:00', '2036-01-01T00:00')).toHaveLength(10)
    expect(within('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-01-01T00:00', '2076-01-01T00:00')).toEqual([])
  })

  it('are rejected with the reason', () => {
    const reason = (rule: string) => {
      try {
        return parseRule(rule)
      } catch (error) {
        return error instanceof Error ? error.message : error
      }
    }
    expect(reason('FREQ=HOURLY')).toBe('FREQ must be one of DAILY, WEEKLY, MONTHLY, YEARLY')
    expect(reason('FREQ=DAILY;BYHOUR=3')).toBe('BYHOUR is not supported: windows start once a day')
    expect(reason('FREQ=DAILY;COUNT=2;UNTIL=20260101')).toBe('COUNT and UNTIL exclude each other')
    expect(reason('FREQ=DAILY;UNTIL=20260231')).toContain('UNTIL must be a time')
    expect(reason('FREQ=WEEKLY;BYDAY=1MO')).toContain('BYDAY with a number')
    expect(reason('FREQ=WEEKLY;BYMONTHDAY=3')).toContain('BYMONTHDAY')
    expect(reason('FREQ=MONTHLY;BYWEEKNO=3')).toContain('FREQ=YEARLY only')
    expect(reason('FREQ=DAILY;BYSETPOS=1')).toContain('BYSETPOS needs')
    expect(reason('FREQ=DAILY;INTERVAL=0')).toContain('INTERVAL')
    expect(reason('FREQ=DAILY;BYMONTH=13')).toContain('BYMONTH has the value 13')
    expect(reason('FREQ=DAILY;FREQ=DAILY')).toBe('FREQ is given twice')
    expect(reason('X-NAME=1')).toBe('X-NAME=1 is unknown')
    expect(reason('')).toContain('unknown')
  })
})

describe('local times of zones', () => {
  it.each([
    // The clock goes forward: 02:00 to 03:00, on Lord Howe only to 02:30.
    ['Europe/Berlin', '2026-03-29T01:30', '2026-03-29T00:30'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30'],
    ['Europe/Berlin', '2026-03-29T03:30', '2026-03-29T01:30'],
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30'],
    ['America/New_York', '2026-03-08T03:30', '2026-03-08T07:30'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45'],
    ['Australia/Lord_Howe', '2026-10-04T02:45', '2026-10-03T15:45'],
    // The clock goes back: the hour comes twice, on Lord Howe half an hour.
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30'],
    ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30'],
    ['America/New_York', '2026-11-01T02:00', '2026-11-01T07:00'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45'],
    ['Australia/Lord_Howe', '2026-04-05T02:00', '2026-04-04T15:30'],
    ['UTC', '2026-01-31T22:00', '2026-01-31T22:00'],
    ['Asia/Kathmandu', '2026-01-31T22:00', '2026-01-31T16:15'],
  ])('%s %s is %sZ', (timezone, local, utc) => {
    expect(instantOf(timezone, local).toISOString()).toBe(`${utc}:00.000Z`)
  })

  it('are those of the instants that they stand for', () => {
    expect(localOf('Europe/Berlin', new Date('2026-07-01T22:30:59Z'))).toBe('2026-07-02T00:30')
    for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])
      for (let day = 0; day < 366; day++) {
        const local = `${new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)}T12:00`
        expect(localOf(timezone, instantOf(timezone, local))).toBe(local)
      }
  })
})
