import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'

export const severities = [
  ['critical', 'Critical'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
  ['info', 'Info'],
] as const
export const statuses = [
  ['active', 'Active'],
  ['acknowledged', 'Acknowledged'],
  ['suppressed', 'Suppressed'],
  ['resolved', 'Resolved'],
] as const

const severityWords = new Map<Alert['severity'], string>(severities)
const statusWords = new Map<Alert['status'], string>(statuses)
export const severityText = (severity: Alert['severity']): string => severityWords.get(severity) ?? severity
export const statusText = (status: Alert['status']): string => statusWords.get(status) ?? status

export const sourceOptions: readonly (readonly [Alert['source'], string])[] = [
  ['rule', 'Rule'],
  ['monitor', 'Monitor'],
  ['maintenance', 'Maintenance'],
  ['script', 'Script'],
  ['automation', 'Automation'],
  ['policy', 'Policy'],
  ['snmp', 'SNMP'],
  ['patch', 'Patch'],
  ['software', 'Software'],
  ['security', 'Security'],
  ['sla', 'SLA'],
  ['system', 'System'],
]
const sourceWords = new Map<Alert['source'], string>(sourceOptions)
export const sourceText = (source: Alert['source']): string => sourceWords.get(source) ?? source

const suppressions: Readonly<Record<NonNullable<Alert['suppression']>['kind'], string>> = {
  maintenance: 'By a maintenance window',
  dependency: 'By the alert of a rule that its own depends on',
  user: 'By a user',
  rule: 'Its rule is snoozed',
}
/** Why an alert is suppressed. */
export const suppressionText = ({ kind, reason }: NonNullable<Alert['suppression']>): string =>
  reason ?? suppressions[kind]

const resolutions: Readonly<Record<NonNullable<Alert['resolution']>, string>> = {
  auto: 'When the condition ended',
  manual: 'By hand',
  rule_changed: 'Its rule was changed',
  rule_disabled: 'Its rule was disabled',
  rule_deleted: 'Its rule was deleted',
  device_removed: 'Its device was removed',
}
export const resolutionText = (resolution: NonNullable<Alert['resolution']>): string => resolutions[resolution]
