import type { Redis } from 'ioredis'
import { liveChannel } from './keys.ts'
import { pack, unpack } from './pack.ts'

export type LiveEventType =
  | 'device.status'
  | 'device.heartbeat'
  | 'device.changed'
  | 'command.changed'
  | 'command.output'

/** Something that changed and that somebody may be watching; further fields depend on the type. */
export interface LiveEvent {
  type: LiveEventType
  orgId: string
  siteId: string | null
  deviceId: string
  at: number
  [field: string]: unknown
}

/** Tells a partner's watchers, in one message. */
export async function publishLive(redis: Redis, partnerId: string, events: readonly LiveEvent[]): Promise<void> {
  if (events.length > 0) await redis.publish(liveChannel(partnerId), pack(events))
}

/** The events in a message of a live channel; what is not an event is left out. */
export function decodeLive(message: Uint8Array): LiveEvent[] {
  const list = unpack(message)
  return Array.isArray(list) ? list.filter(isLiveEvent) : []
}

function isLiveEvent(value: unknown): value is LiveEvent {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'orgId' in value &&
    typeof value.orgId === 'string' &&
    'deviceId' in value &&
    typeof value.deviceId === 'string'
  )
}
