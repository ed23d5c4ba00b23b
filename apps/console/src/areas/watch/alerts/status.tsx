import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { severityText, statusText } from './words.ts'

const severityTones: Readonly<Record<Alert['severity'], Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'info',
  info: 'plain',
}
const statusTones: Readonly<Record<Alert['status'], Tone>> = {
  active: 'bad',
  acknowledged: 'warn',
  suppressed: 'plain',
  resolved: 'good',
}

export const SeverityBadge = ({ severity }: Pick<Alert, 'severity'>) => (
  <Badge tone={severityTones[severity]}>{severityText(severity)}</Badge>
)
export const StatusBadge = ({ status }: Pick<Alert, 'status'>) => (
  <Badge tone={statusTones[status]}>{statusText(status)}</Badge>
)
