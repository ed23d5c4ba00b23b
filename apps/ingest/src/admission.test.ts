import { describe, expect, test } from 'vitest'
import { Admission } from './admission.ts'
import { createRates, takeFrame } from './allowance.ts'
import { createConnection } from './connection.ts'
import { limits } from './limits.ts'
import { Penalties } from './penalties.ts'
import { QuietLog } from './quiet-log.ts'

describe('admission', () => {
  test('lets one second of its rate in at once, then as many as the rate says', () => {
    const admission = new Admission(10, 0)
    const taken = (nowMs: number) => {
      let count = 0
      while (admission.take(nowMs)) count++
      return count
    }
    expect(taken(0)).toBe(10)
    expect(taken(500)).toBe(5)
    expect(taken(100_000)).toBe(10)
    expect(taken(50_000)).toBe(0)
    expect(taken(50_100)).toBe(1)
  })

  test('asks those it refuses back over a window that grows with their number and shrinks with time', () => {
    const admission = new Admission(10, 0)
    const largest = (nowMs: number, times: number) =>
      Math.max(...Array.from({ length: times }, () => admission.retryAfterSeconds(nowMs)))
    expect(largest(0, 5)).toBeLessThanOrEqual(3)
    expect(largest(0, 1000)).toBeGreaterThan(20)
    expect(largest(3_600_000, 5)).toBeLessThanOrEqual(3)
  })
})

describe('allowance of a device', () => {
  const rates = createRates(4, limits)
  const fresh = () =>
    Object.assign(createConnection(1, 0), { milliFrames: rates.milliFramesBurst, bytes: rates.bytesBurst })

  test('is a burst and then a rate, in frames', () => {
    const device = fresh()
    let taken = 0
    while (takeFrame(device, rates, 1_000, 10)) taken++
    expect(taken).toBe(240)
    expect(takeFrame(device, rates, 1_100, 10)).toBe(false)
    expect(takeFrame(device, rates, 1_400, 10)).toBe(true)
  })

  test('counts bytes as well', () => {
    const device = fresh()
    let taken = 0
    while (takeFrame(device, rates, 1_000, 1024 * 1024)) taken++
    expect(taken).toBe(8)
    expect(takeFrame(device, rates, 1_000 + 4_001, 1024 * 1024)).toBe(true)
  })

  test('goes on being refilled after a clock was set back', () => {
    const device = fresh()
    while (takeFrame(device, rates, 10_000_000, 10));
    expect(takeFrame(device, rates, 1_000, 10)).toBe(false)
    expect(takeFrame(device, rates, 2_000, 10)).toBe(true)
  })
})

test('a penalty ends, and the oldest goes when there are too many', () => {
  const penalties = new Penalties(1_000, 2)
  penalties.add('a', 0)
  expect(penalties.isServing('a', 999)).toBe(true)
  expect(penalties.isServing('a', 1_000)).toBe(false)
  for (const device of ['b', 'c', 'd']) penalties.add(device, 0)
  expect(['b', 'c', 'd'].map((device) => penalties.isServing(device, 1))).toEqual([false, true, true])
})

test('the same is news once a minute, and a flood of keys is not news at all', () => {
  const quiet = new QuietLog(60_000, 3)
  expect([0, 1, 59_999, 60_000, 60_001].map((nowMs) => quiet.isNews('a', nowMs))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ])
  expect(['b', 'c', 'd'].map((key) => quiet.isNews(key, 60_002))).toEqual([true, true, false])
  expect(quiet.isNews('d', 130_000)).toBe(true)
})
