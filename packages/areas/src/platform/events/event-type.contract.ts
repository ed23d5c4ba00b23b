// Events that Muster keeps: what happened, for webhooks, notifications, alerts and other followers. See docs/events.md.
import { z } from 'zod'

/** What an event is about. It decides which of organization and device an event must name. */
export type EventSubject = 'partner' | 'organization' | 'device'

export interface EventType<
  Name extends string = string,
  Subject extends EventSubject = EventSubject,
  Data extends z.ZodType = z.ZodType,
> {
  readonly name: Name
  readonly subject: Subject
  /** Of `data`. */
  readonly schema: Data
}

/** Declares a type of event. The fields of `data` are part of the API: webhooks send them. */
export const eventType = <const Name extends string, const Subject extends EventSubject, Fields extends z.ZodRawShape>(
  name: Name,
  subject: Subject,
  fields: Fields,
): EventType<Name, Subject, z.ZodObject<Fields>> => ({ name, subject, schema: z.object(fields) })

/** An event as a follower receives it. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly partnerId: string
  /** Null for an event of the whole partner. */
  readonly orgId: string | null
  readonly siteId: string | null
  readonly deviceId: string | null
  /** Valid by the schema of the type at the time at which it was stored. */
  readonly data: Readonly<Record<string, unknown>>
  /** When it happened. */
  readonly at: string
  /** The run of an automation that led to it; null for what people and machines did. */
  readonly cause: EventCause | null
}

/** The run that led to an event, and the automations one after another that led to it, with its own. */
export interface EventCause {
  readonly runId: string
  readonly chain: readonly string[]
}
