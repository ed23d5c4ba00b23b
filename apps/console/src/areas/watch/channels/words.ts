import type { AlertChannel } from '@muster/areas/watch/channels/channels.contract.ts'

export const typeOptions = [
  ['email', 'Email'],
  ['slack', 'Slack'],
  ['teams', 'Microsoft Teams'],
  ['webhook', 'Webhook'],
  ['pagerduty', 'PagerDuty'],
  ['sms', 'SMS'],
] as const
export const typeWords = new Map<AlertChannel['type'], string>(typeOptions)
