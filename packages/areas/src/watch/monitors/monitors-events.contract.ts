import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'
import { MonitorStatus, MonitorType } from './words.contract.ts'

export const monitorChangedEvent = eventType('monitor.changed', 'organization', {
  monitorId: id(),
  name: z.string(),
  type: MonitorType,
  target: z.string(),
  status: MonitorStatus,
  before: MonitorStatus,
  reason: z.string().nullable(),
})
