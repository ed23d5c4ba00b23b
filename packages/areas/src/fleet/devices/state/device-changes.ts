import { liveEvent, type PartnerEvent } from '../../../platform/live-events/index.ts'
import { deviceChanged, deviceStatus } from './device-events.contract.ts'

/** A device and where it belongs, at a time. */
export interface DevicePlace {
  readonly deviceId: string
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
  readonly atMs: number
}

/** A device whose status changed. */
export interface StatusChange extends DevicePlace {
  readonly status: 'online' | 'offline' | 'updating'
}

export const statusEvents = (changes: readonly StatusChange[]): PartnerEvent[] =>
  changes.map(({ partnerId, atMs: at, deviceId, orgId, siteId, status }) =>
    liveEvent(deviceStatus, partnerId, { orgId, siteId, deviceId, at, status }),
  )

type Property = 'inventory' | 'agentVersion' | 'update' | 'watchdog' | 'customFields' | 'tags'

/** Events of devices of which one property changed. */
export const changeEvents = (changed: Property, places: readonly DevicePlace[]): PartnerEvent[] =>
  places.map(({ partnerId, atMs: at, deviceId, orgId, siteId }) =>
    liveEvent(deviceChanged, partnerId, { orgId, siteId, deviceId, at, changed }),
  )
