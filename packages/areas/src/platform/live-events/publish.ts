import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { z } from 'zod'
import type { EventKind } from './event.contract.ts'

const eventsPerMessageMax = 2_000

/** A live event for the watchers of one partner. */
export interface PartnerEvent {
  readonly partnerId: string
  readonly event: LiveEvent
}

type FieldsOf<Kind extends EventKind> = Omit<z.input<Kind['schema']>, 'type'> & {
  readonly orgId: string
  readonly at: number
}

/** Refuses fields that the schema of the kind does not have, which watchers would not receive. */
type Declared<Fields, Kind extends EventKind> = Fields & Record<Exclude<keyof Fields, keyof FieldsOf<Kind>>, never>

/** An event of a declared kind. */
export function liveEvent<Kind extends EventKind, Fields extends FieldsOf<Kind>>(
  { name }: Kind,
  partnerId: string,
  fields: Declared<Fields, Kind>,
): PartnerEvent {
  return { partnerId, event: { type: name, ...fields } }
}

/** Publishes events to the watchers of their partners. Events are not kept: a watcher that misses one reads the state. */
export async function publishEvents(redis: Redis, events: readonly PartnerEvent[]): Promise<void> {
  const messages: Promise<void>[] = []
  for (const [partnerId, own] of Map.groupBy(events, (each) => each.partnerId)) {
    for (let start = 0; start < own.length; start += eventsPerMessageMax) {
      const slice = own.slice(start, start + eventsPerMessageMax)
      messages.push(
        publishLive(
          redis,
          partnerId,
          slice.map(({ event }) => event),
        ),
      )
    }
  }
  await Promise.all(messages)
}
