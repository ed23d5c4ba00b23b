import { z } from 'zod'
import { line, moment } from './fields.ts'

export const eventsMax = 1_000
/** `journal`, a file below the system's log folder such as `nginx/access.log`, or a channel of Windows. */
export const eventLogName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[A-Za-z0-9_@:+=,-][A-Za-z0-9_.@:+=,()% -]*(\/[A-Za-z0-9_@:+=,-][A-Za-z0-9_.@:+=,()% -]*){0,3}$/, {
    error: 'is not the name of an event log',
  })
export const EventLevel = z.enum(['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'])
export type EventLevel = z.infer<typeof EventLevel>

export const EventLog = z.object({
  name: z.string(),
  source: z.enum(['journal', 'file', 'channel']),
  sizeBytes: z.number().nullable(),
  modifiedAt: moment().nullable(),
})
export type EventLog = z.infer<typeof EventLog>

export const ListEventLogs = z.object({})
export const EventLogList = z.object({ logs: z.array(EventLog), truncated: z.boolean() })

export const GetEventLog = z.object({ name: eventLogName })
export const EventLogDetail = EventLog.extend({ firstAt: moment().nullable(), lastAt: moment().nullable() })

export const Event = z.object({
  recordId: z.string(),
  at: moment().nullable(),
  level: EventLevel.nullable(),
  /** The unit or program that wrote it. */
  source: z.string().nullable(),
  pid: z.number().nullable(),
  message: z.string(),
})
export type Event = z.infer<typeof Event>

export const ListEvents = z.object({
  name: eventLogName,
  limit: z.int().min(1).max(eventsMax).default(100),
  /** This level and everything more severe. In files, only events that name their level match. */
  level: EventLevel.optional(),
  /** Text that the message contains, case-insensitive. */
  search: line(200).optional(),
  source: line(255).optional(),
  since: moment().optional(),
  until: moment().optional(),
  /** The `nextBefore` of the previous answer. */
  before: line(1_000).optional(),
})
export const EventList = z.object({ events: z.array(Event), nextBefore: z.string().nullable() })

export const GetEvent = z.object({ name: eventLogName, recordId: line(1_000).min(1) })
export const EventDetail = Event.extend({ fields: z.record(z.string(), z.string()) })
