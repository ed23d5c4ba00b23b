import { describe, expect, test } from 'vitest'
import { Admission } from './admission.ts'
import { createRates, takeFrame } from './allowance.ts'
import { createConnection } from './connection.ts'
import { limits } from './limits.ts'
import { LogThrottle } from './log-throttle.ts'
import { Penalties } from './penalties.ts'

describe('admission', () => {
  test('admits one second of its rate at once, then at the rate', () => {
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

  test('spreads retries over a window that grows with the refusals and shrinks with time', () => {
    const admission = new Admission(10, 0)
    const largest = (nowMs: number, times: number) =>
      Math.max(...Array.from({ length: times }, () => admission.retryAfterSeconds(nowMs)))
    expect(largest(0, 5)).toBeLessThanOrEqual(3)
    expect(largest(0, 1000)).toBeGreaterThan(20)
    expect(largest(3_600_000, 5)).toBeLessThanOrEqual(3)
  })
})

describe('the allowance of a device', () => {
  const rates = createRates(4, limits)
  const fresh = () =>
    Object.assign(createConnection(1, 0), { milliFrames: rates.milliFramesBurst, bytes: rates.bytesBurst })

  test('limits frames to a burst and then a rate', () => {
    const device = fresh()
    let taken = 0
    while (takeFrame(device, rates, 1_000, 10)) taken++
    expect(taken).toBe(240)
    expect(takeFrame(device, rates, 1_100, 10)).toBe(false)
    expect(takeFrame(device, rates, 1_400, 10)).toBe(true)
  })

  test('limits bytes as well', () => {
    const device = fresh()
    let taken = 0
    while (takeFrame(device, rates, 1_000, 1024 * 1024)) taken++
    expect(taken).toBe(8)
    expect(takeFrame(device, rates, 1_000 + 4_001, 1024 * 1024)).toBe(true)
  })

  test('still refills after the clock was set back', () => {
    const device = fresh()
    while (takeFrame(device, rates, 10_000_000, 10));
    expect(takeFrame(device, rates, 1_000, 10)).toBe(false)
    expect(takeFrame(device, rates, 2_000, 10)).toBe(true)
  })
})

test('ends a penalty, and drops the oldest when there are too many', () => {
  const penalties = new Penalties(1_000, 2)
  penalties.add('a', 0)
  expect(penalties.isServing('a', 999)).toBe(true)
  expect(penalties.isServing('a', 1_000)).toBe(false)
  for (const device of ['b', 'c', 'd']) penalties.add(device, 0)
  expect(['b', 'c', 'd'].map((device) => penalties.isServing(device, 1))).toEqual([false, true, true])
})

test('logs a key once per minute, and nothing for a flood of keys', () => {
  const logThrottle = new LogThrottle(60_000, 3)
  expect([0, 1, 59_999, 60_000, 60_001].map((nowMs) => logThrottle.shouldLog('a', nowMs))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ])
  expect(['b', 'c', 'd'].map((key) => logThrottle.shouldLog(key, 60_002))).toEqual([true, true, false])
  expect(logThrottle.shouldLog('d', 130_000)).toBe(true)
})
