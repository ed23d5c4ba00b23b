import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { nextRun, parseSchedule } from './cron-schedule.ts'

beforeAll(() => vi.stubEnv('TZ', 'Europe/Berlin'))
afterAll(() => vi.unstubAllEnvs())

/** In Berlin: one hour ahead in winter, two in summer. */
const next = (schedule: string, after: string) => {
  const at = nextRun(schedule, Date.parse(after))
  return at === null ? null : new Date(at).toISOString().slice(0, 16)
}

describe('the next run of a cron line', () => {
  // A Thursday, 10:07:30 in Berlin.
  const now = '2026-01-15T09:07:30Z'

  it.each([
    ['* * * * *', '2026-01-15T09:08'],
    ['*/15 * * * *', '2026-01-15T09:15'],
    ['5-59/20 * * * *', '2026-01-15T09:25'],
    ['7 * * * *', '2026-01-15T10:07'],
    ['0,30 8-9,23 * * *', '2026-01-15T22:00'],
    ['30 4 * * *', '2026-01-16T03:30'],
    ['0 12 * * sat', '2026-01-17T11:00'],
    ['0 12 * * 7', '2026-01-18T11:00'],
    ['0 12 * * 0', '2026-01-18T11:00'],
    ['0 0 1 Mar *', '2026-02-28T23:00'],
    ['0 0 29 2 *', '2028-02-28T23:00'],
    ['0 0 20 * mon', '2026-01-18T23:00'],
    ['@hourly', '2026-01-15T10:00'],
    ['@daily', '2026-01-15T23:00'],
    ['@weekly', '2026-01-17T23:00'],
    ['@yearly', '2026-12-31T23:00'],
  ])('%s', (schedule, expected) => {
    expect(next(schedule, now)).toBe(expected)
  })

  it.each([
    '@reboot',
    '0 0 30 2 *',
    '60 * * * *',
    '* * * *',
    '1~5 * * * *',
    '*/0 * * * *',
    '5-1 * * * *',
    '* * * foo *',
  ])('is unknown for %s', (schedule) => {
    expect(next(schedule, now)).toBeNull()
  })

  it('follows cron at clock changes: skipped times run at once, repeated times run once', () => {
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00')
    expect(next('30 2 * * *', '2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30')
    expect(next('30 2 * * *', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30')
    expect(next('30 2 * * *', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30')
  })

  it('continues hourly lines through both clock changes', () => {
    expect(next('30 * * * *', '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:30')
    expect(next('30 * * * *', '2026-10-25T00:30:00Z')).toBe('2026-10-25T01:30')
  })

  it('matches the day of the month or of the week, unless one of them is *', () => {
    expect(parseSchedule('0 0 1 * 1')?.days.isOpen).toBe(false)
    expect(next('0 0 16 * mon', now)).toBe('2026-01-15T23:00')
    expect(next('0 0 * * mon', now)).toBe('2026-01-18T23:00')
  })
})
