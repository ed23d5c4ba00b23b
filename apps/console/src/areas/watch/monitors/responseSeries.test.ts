import { expect, test } from 'vitest'
import { responseSeries } from './responseSeries.ts'

const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000).toISOString()

test('averages the probes of one round', () => {
  const samples = [
    { at: at(1), responseMs: 10, maxMs: 12 },
    { at: at(20), responseMs: 30, maxMs: 50 },
    { at: at(61), responseMs: 20, maxMs: 20 },
  ]
  const { at: moments, series } = responseSeries(samples, 60)
  expect(moments).toEqual([1_800_000_000, 1_800_000_060])
  expect(series.map(({ values }) => values)).toEqual([
    [20, 20],
    [50, 20],
  ])
})

test('leaves a gap where results are missing or rounds failed', () => {
  const samples = [
    { at: at(0), responseMs: 10, maxMs: 10 },
    { at: at(60), responseMs: null, maxMs: null },
    { at: at(600), responseMs: 10, maxMs: 10 },
  ]
  expect(responseSeries(samples, 60).series[0]?.values).toEqual([10, null, null, 10])
})
