import { expect, it } from 'vitest'
import type { Metric } from './conditions.contract.ts'
import { durationText, figureText, metricLabel } from './metric-words.contract.ts'

it.each<[Metric, number, string]>([
  ['memoryPercent', 49.713_614, 'Memory use 49.7 %'],
  ['diskFree', 5_368_709_120, 'Free disk space 5 GiB'],
  ['memoryUsed', 512, 'Memory used 512 B'],
  ['networkRxPerSecond', 1_572_864, 'Network traffic received 1.5 MiB/s'],
  ['uptimeSeconds', 183_000, 'Uptime 2 days 2 hours'],
  ['load1m', 4.099_999_904, 'Load over one minute 4.1'],
  ['processCount', 212, 'Number of processes 212'],
])('says %s %d in words', (metric, value, words) => {
  expect(`${metricLabel(metric)} ${figureText(metric, value)}`).toBe(words)
})

it.each([
  [0, '0 seconds'],
  [60, '1 minute'],
  [90, '1 minute 30 seconds'],
  [86_460, '1 day'],
])('says %d seconds in words', (seconds, words) => expect(durationText(seconds)).toBe(words))
