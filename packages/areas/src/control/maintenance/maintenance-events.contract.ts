// The events about maintenance windows that followers receive.
import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

const occurrence = { windowId: id(), occurrenceId: id(), name: z.string() }

export const maintenanceStarted = eventType('maintenance.started', 'partner', occurrence)
export const maintenanceEnded = eventType('maintenance.ended', 'partner', occurrence)
/** Devices that were online at the start are offline some minutes after the end. */
export const maintenanceNotReturned = eventType('maintenance.not_returned', 'partner', {
  ...occurrence,
  deviceIds: z.array(id()),
})
