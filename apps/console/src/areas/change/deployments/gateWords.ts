import type { GateState, MetricField } from '@muster/areas/change/deployments/gates/gate.contract.ts'
import type { Tone } from '../../../ui/page/display.tsx'
import { many } from '../../../ui/text/quantity.ts'

export const gateTypes: readonly (readonly [GateState['type'], string])[] = [
  ['online', 'Devices online'],
  ['filter', 'Devices match a filter'],
  ['alerts', 'Few alerts'],
  ['metric', 'Metric not worse'],
  ['person', 'A person passes it'],
]
const typeWords = new Map(gateTypes)

export const metricFields: readonly (readonly [MetricField, string])[] = [
  ['cpuPercent', 'CPU use'],
  ['memoryPercent', 'Memory use'],
  ['diskPercent', 'Disk use'],
  ['load1m', 'Load'],
  ['processCount', 'Processes'],
]

export const gateTones: Readonly<Record<GateState['status'], Tone>> = { waiting: 'plain', green: 'good', red: 'bad' }
export const gateStatusWords: Readonly<Record<GateState['status'], string>> = {
  waiting: 'Waiting',
  green: 'Green',
  red: 'Red',
}

/** The gate in words, with what was found. */
export function gateText({ type, actual, expected }: GateState): string {
  const word = typeWords.get(type) ?? type
  if (actual === null || expected === null) return word
  if (type === 'alerts') return `${word}: ${many(actual, 'alert')}, at most ${expected}`
  return type === 'metric'
    ? `${word}: ${actual} % worse, at most ${expected} %`
    : `${word}: ${actual} % of ${expected} %`
}
