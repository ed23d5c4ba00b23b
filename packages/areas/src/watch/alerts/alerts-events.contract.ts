// The events of alerts that Muster keeps: webhooks send them, and policies decide from them who is notified.
import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'
import { Severity } from '../../platform/events/severity.contract.ts'
import { AlertSource, AlertStatus } from './words.contract.ts'

const fields = {
  alertId: id(),
  ruleId: id().nullable(),
  source: AlertSource,
  severity: Severity,
  status: AlertStatus,
  title: z.string(),
  message: z.string(),
  occurrences: z.number(),
}

export const alertOpenedEvent = eventType('alert.opened', 'organization', fields)
export const alertAcknowledgedEvent = eventType('alert.acknowledged', 'organization', fields)
export const alertResolvedEvent = eventType('alert.resolved', 'organization', fields)
export const alertSuppressedEvent = eventType('alert.suppressed', 'organization', fields)
export const alertReopenedEvent = eventType('alert.reopened', 'organization', fields)

export const alertEvents = [
  alertOpenedEvent,
  alertAcknowledgedEvent,
  alertResolvedEvent,
  alertSuppressedEvent,
  alertReopenedEvent,
] as const
