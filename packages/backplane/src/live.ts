import { liveChannel } from './keys.ts'
import { pack, unpack } from './pack.ts'
import { type Redis, serversOf } from './redis.ts'

/** A change that consoles and API clients may follow. The areas declare the types and their further fields. */
export interface LiveEvent {
  type: string
  orgId: string
  /** When it happened, in milliseconds since 1970. */
  at: number
  [field: string]: unknown
}

/** Publishes events to a partner's subscribers, in one message. */
export async function publishLive(redis: Redis, partnerId: string, events: readonly LiveEvent[]): Promise<void> {
  if (events.length > 0) await redis.publish(liveChannel(partnerId), pack(events))
}

/** The live channels with subscribers on any server; `all` when a pattern subscription may match any of them. */
export async function watchedChannels(redis: Redis): Promise<ReadonlySet<string> | 'all'> {
  const answers = serversOf(redis).map(async (server): Promise<unknown[]> => {
    const [patterns, channels] = await Promise.all([
      server.pubsub('NUMPAT'),
      server.pubsub('CHANNELS', liveChannel('*')),
    ])
    if (Number(patterns) > 0) return [liveChannel('*')]
    return Array.isArray(channels) ? channels : []
  })
  // A server that does not answer cannot deliver to its subscribers now.
  const settled = await Promise.allSettled(answers)
  const channels = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (channels.includes(liveChannel('*'))) return 'all'
  return new Set(channels.filter((name) => typeof name === 'string'))
}

/** The events in a message of a live channel; invalid items are skipped. */
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
    typeof value.orgId === 'string'
  )
}
