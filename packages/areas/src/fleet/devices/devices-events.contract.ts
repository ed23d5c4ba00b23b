// The events about devices that followers receive.
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

const named = { hostname: z.string() }

export const deviceOnline = eventType('device.online', 'device', named)
export const deviceOffline = eventType('device.offline', 'device', named)
export const deviceEnrolled = eventType('device.enrolled', 'device', named)
export const deviceQuarantined = eventType('device.quarantined', 'device', { ...named, reason: z.string() })
/** The agent stopped although its watchdog is connected. */
export const agentSilent = eventType('agent.silent', 'device', named)

/** Properties of the device and sections of its inventory, such as `tags`, `osVersion` and `software`. */
export const deviceChangedEvent = eventType('device.changed', 'device', { ...named, changed: z.array(z.string()) })

const software = { ...named, name: z.string(), version: z.string().nullable() }
export const softwareInstalled = eventType('software.installed', 'device', software)
export const softwareRemoved = eventType('software.removed', 'device', software)

export const deviceEvents = [
  ...[deviceOnline, deviceOffline, deviceEnrolled, deviceQuarantined, agentSilent],
  ...[deviceChangedEvent, softwareInstalled, softwareRemoved],
]
