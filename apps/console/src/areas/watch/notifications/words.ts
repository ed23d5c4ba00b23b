import type {
  NotificationPriority,
  NotificationType,
} from '@muster/areas/watch/notifications/notifications.contract.ts'

export const typeOptions = [
  ['alert', 'Alert'],
  ['device', 'Device'],
  ['script', 'Script'],
  ['automation', 'Automation'],
  ['system', 'System'],
  ['security', 'Security'],
  ['ticket', 'Ticket'],
] as const
export const typeWords = new Map<NotificationType, string>(typeOptions)

export const priorityOptions = [
  ['low', 'Low'],
  ['normal', 'Normal'],
  ['high', 'High'],
  ['urgent', 'Urgent'],
] as const
export const priorityWords = new Map<NotificationPriority, string>(priorityOptions)
