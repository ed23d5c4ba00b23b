import type { ProbeAnswer } from '@muster/areas/watch/monitors/monitors.contract.ts'
import type { AlertCondition, MonitorStatus, MonitorType } from '@muster/areas/watch/monitors/words.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'

export const types: readonly (readonly [MonitorType, string])[] = [
  ['ping', 'Ping'],
  ['tcp', 'TCP port'],
  ['http', 'HTTP'],
  ['dns', 'DNS'],
]
export const typeWords = new Map<MonitorType, string>(types)

export const statuses: readonly (readonly [MonitorStatus, string])[] = [
  ['online', 'Online'],
  ['degraded', 'Degraded'],
  ['offline', 'Offline'],
  ['unknown', 'Unknown'],
  ['paused', 'Paused'],
]
const statusWords = new Map<MonitorStatus, string>(statuses)
const tones: Readonly<Record<MonitorStatus, Tone>> = {
  online: 'good',
  degraded: 'warn',
  offline: 'bad',
  unknown: 'plain',
  paused: 'plain',
}
export const StatusBadge = ({ status }: { readonly status: MonitorStatus }) => (
  <Badge tone={tones[status]}>{statusWords.get(status)}</Badge>
)

const reasons: Readonly<Record<string, string>> = {
  not_checked: 'Not checked yet',
  no_probe: 'No connected device can check it',
}
/** Why a monitor has its status; undefined when nothing is wrong. */
export const reasonWords = (reason: string | null): string | undefined =>
  reason === null ? undefined : (reasons[reason] ?? reason)

export const percent = (ratio: number | null): string =>
  ratio === null ? '–' : `${ratio === 100 ? '100' : ratio.toFixed(ratio >= 99 ? 2 : 1)}%`

/** A response time. */
export const responseTime = (ms: number | null): string => {
  if (ms === null) return '–'
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${ms >= 10 || Number.isInteger(ms) ? Math.round(ms) : ms.toFixed(1)} ms`
}

const states: Readonly<Record<ProbeAnswer['state'], readonly [Tone, string]>> = {
  ok: ['good', 'OK'],
  degraded: ['warn', 'Degraded'],
  failed: ['bad', 'Failed'],
  unknown: ['plain', 'No answer'],
}
export const StateBadge = ({ state }: Pick<ProbeAnswer, 'state'>) => (
  <Badge tone={states[state][0]}>{states[state][1]}</Badge>
)

export const conditions: readonly (readonly [AlertCondition, string])[] = [
  ['offline', 'Offline'],
  ['degraded', 'Degraded'],
  ['responseTime', 'Slow response'],
  ['certificate', 'Certificate expires'],
  ['noProbe', 'No device can check'],
]
export const conditionWords = new Map<AlertCondition, string>(conditions)
/** The unit of the threshold; undefined for conditions that have none. */
export const thresholdUnit: Readonly<Partial<Record<AlertCondition, string>>> = {
  responseTime: 'milliseconds',
  certificate: 'days',
}
