import { expect, test } from 'vitest'
import { metricSeries } from './metricSeries.ts'

const start = Date.parse('2026-11-22T12:00:00Z')
const sample = (seconds: number, received: number | null) => ({
  at: new Date(start + seconds * 1000).toISOString(),
  cpuPercent: 10,
  memoryUsed: 1,
  memoryTotal: 4,
  diskUsed: 1,
  diskTotal: 2,
  networkRxBytes: received,
  networkTxBytes: 0,
})
const received = (samples: ReturnType<typeof sample>[]) => metricSeries(samples).network[0]?.values

test('shows the share of CPU, memory and disk', () => {
  const { use } = metricSeries([sample(0, 0), sample(60, 0)])
  expect(use.map(({ label, values }) => [label, values[0]])).toEqual([
    ['CPU', 10],
    ['Memory', 25],
    ['Disk', 50],
  ])
})

test('leaves out the second of two samples that a reconnect stored close together', () => {
  const samples = [sample(0, 0), sample(60, 6_000), sample(61, 6_000_000), sample(120, 12_000), sample(180, 18_000)]
  expect(received(samples)).toEqual([null, 100, 100, 100])
})

test('leaves a gap where samples are missing, also in the rate after it', () => {
  const samples = [sample(0, 0), sample(60, 600), sample(120, 1_200), sample(900, 9_000), sample(960, 9_600)]
  expect(metricSeries(samples).use[0]?.values).toEqual([10, 10, 10, null, 10, 10])
  expect(received(samples)).toEqual([null, 10, 10, null, null, 10])
})

test('shows no rate when a counter starts again', () => {
  expect(received([sample(0, 5_000), sample(60, 100), sample(120, 700)])).toEqual([null, null, 10])
})
