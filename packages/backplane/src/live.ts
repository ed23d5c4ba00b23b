import { liveChannel } from './keys.ts'
import { pack, unpack } from './pack.ts'
import { type Redis, serversOf } from './redis.ts'

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

/** The live channels that somebody listens to, at whatever server; `all` when a pattern subscription may mean any of them. */
export async function watchedChannels(redis: Redis): Promise<ReadonlySet<string> | 'all'> {
  const answers = serversOf(redis).map(async (server): Promise<unknown[]> => {
    const [patterns, channels] = await Promise.all([
      server.pubsub('NUMPAT'),
      server.pubsub('CHANNELS', liveChannel('*')),
    ])
    if (Number(patterns) > 0) return [liveChannel('*')]
    return Array.isArray(channels) ? channels : []
  })
  // A server that does not answer has watchers too, but none that could hear anything of it now.
  const settled = await Promise.allSettled(answers)
  const heard = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (heard.includes(liveChannel('*'))) return 'all'
  return new Set(heard.filter((name) => typeof name === 'string'))
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
