import { expect, test } from 'vitest'
import { daysOf, daysShown, moved } from './calendarDays.ts'

test('shows whole weeks from Monday', () => {
  expect(daysShown('2026-11-25', 'week')).toEqual([
    '2026-11-23',
    '2026-11-24',
    '2026-11-25',
    '2026-11-26',
    '2026-11-27',
    '2026-11-28',
    '2026-11-29',
  ])
  const month = daysShown('2026-11-25', 'month')
  expect([month.length, month[0], month.at(-1)]).toEqual([42, '2026-10-26', '2026-12-06'])
  expect(daysShown('2027-02-10', 'month')).toHaveLength(28)
})

test('moves by a week or a month', () => {
  expect(moved('2026-12-29', 'week', 1)).toBe('2027-01-05')
  expect(moved('2027-01-31', 'month', 1)).toBe('2027-02-01')
  expect(moved('2027-01-31', 'month', -1)).toBe('2026-12-01')
})

test('places occurrences on days of the time zone', () => {
  const shown = daysShown('2026-11-25', 'week')
  const night = { startsAt: '2026-11-24T22:30:00Z', endsAt: '2026-11-25T05:00:00Z' }
  expect(daysOf(night, shown, 'UTC')).toEqual(['2026-11-24', '2026-11-25'])
  expect(daysOf(night, shown, 'Europe/Zurich')).toEqual(['2026-11-24', '2026-11-25'])
  expect(daysOf(night, shown, 'Asia/Tokyo')).toEqual(['2026-11-25'])
})

test('does not count an end at midnight for the next day', () => {
  const shown = daysShown('2026-11-25', 'week')
  const evening = { startsAt: '2026-11-24T22:00:00Z', endsAt: '2026-11-25T00:00:00Z' }
  expect(daysOf(evening, shown, 'UTC')).toEqual(['2026-11-24'])
})
