import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Severity } from '../../platform/events/severity.contract.ts'
import { event, subject } from '../../platform/live-events/event.contract.ts'
import { AlertSource, AlertStatus } from './words.contract.ts'

const alert = subject('alertId', {
  orgId: id(),
  siteId: id().nullable(),
  deviceId: id().nullable(),
  alertId: id(),
})

const fields = {
  ruleId: id().nullable(),
  source: AlertSource,
  severity: Severity,
  status: AlertStatus,
  title: z.string(),
}

export const alertOpened = event('alert.opened', alert, fields)
export const alertAcknowledged = event('alert.acknowledged', alert, fields)
export const alertResolved = event('alert.resolved', alert, fields)
export const alertSuppressed = event('alert.suppressed', alert, fields)
export const alertReopened = event('alert.reopened', alert, fields)

export const alertEventKinds = [alertOpened, alertAcknowledged, alertResolved, alertSuppressed, alertReopened] as const
