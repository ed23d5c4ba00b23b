import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Histogram } from './histogram.ts'

const values = fc.array(fc.integer({ min: 0, max: 600_000_000 }), { minLength: 1, maxLength: 400 })
const histogramOf = (list: readonly number[]) => {
  const histogram = new Histogram()
  for (const value of list) histogram.record(value)
  return histogram
}

describe('histogram', () => {
  it('returns a percentile at most 1.6 % too high and never too low', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const sorted = list.toSorted((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN
        const measured = histogramOf(list).percentile(share)
        expect(measured).toBeGreaterThanOrEqual(exact)
        expect(measured).toBeLessThanOrEqual(exact * (1 + 1 / 64))
      }),
    )
  })

  it('adds the parts of several histograms up to that of all values', () => {
    fc.assert(
      fc.property(values, values, (left, right) => {
        const sum = new Histogram()
        sum.add(histogramOf(left).parts())
        sum.add(histogramOf(right).parts())
        const whole = histogramOf([...left, ...right])
        expect(sum.parts()).toEqual(whole.parts())
        expect(sum.count).toBe(left.length + right.length)
      }),
    )
  })

  it('counts values beyond its range in the last bucket and keeps the exact maximum', () => {
    const histogram = histogramOf([1, 2 ** 40])
    expect(histogram.count).toBe(2)
    expect(histogram.largest).toBe(2 ** 40)
    expect(histogram.percentile(0.5)).toBe(1)
  })

  it('returns 0 when empty', () => {
    expect(histogramOf([]).percentile(0.99)).toBe(0)
  })
})
