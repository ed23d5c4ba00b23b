import { expect, test } from 'vitest'
import { timeTicks } from './timeTicks.ts'

const at = (iso: string) => Date.parse(iso) / 1000
const written = (ticks: readonly number[]) => ticks.map((tick) => new Date(tick * 1000).toISOString().slice(5, 16))

test('places ticks at round minutes of the asked hour', () => {
  const ticks = timeTicks(at('2026-11-22T12:07:00Z'), at('2026-11-22T13:07:00Z'), 6, 'UTC')
  expect(written(ticks)).toEqual([
    '11-22T12:10',
    '11-22T12:20',
    '11-22T12:30',
    '11-22T12:40',
    '11-22T12:50',
    '11-22T13:00',
  ])
})

test('places daily ticks at midnight of the time zone', () => {
  const ticks = timeTicks(at('2026-11-20T12:00:00Z'), at('2026-11-22T12:00:00Z'), 3, 'Asia/Kolkata')
  expect(written(ticks)).toEqual(['11-20T18:30', '11-21T18:30'])
})

test('keeps midnight across a change of the clocks', () => {
  const ticks = timeTicks(at('2026-10-23T12:00:00Z'), at('2026-10-26T12:00:00Z'), 4, 'Europe/Zurich')
  expect(written(ticks)).toEqual(['10-23T22:00', '10-24T22:00', '10-25T23:00'])
})
