// What starts an automation.
import { isTimezone, timezoneName } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventTypes } from '../../../events.contract.ts'

const eventNames: ReadonlySet<string> = new Set(eventTypes.map(({ name }) => name))

/** Events that end what another one began. `by` are the fields that name what both are about. */
export const opposites: Readonly<Record<string, { readonly event: string; readonly by: readonly string[] }>> = {
  'device.offline': { event: 'device.online', by: ['deviceId'] },
  'device.online': { event: 'device.offline', by: ['deviceId'] },
  'group.joined': { event: 'group.left', by: ['deviceId', 'groupId'] },
  'group.left': { event: 'group.joined', by: ['deviceId', 'groupId'] },
  'software.installed': { event: 'software.removed', by: ['deviceId', 'name'] },
  'software.removed': { event: 'software.installed', by: ['deviceId', 'name'] },
  'alert.opened': { event: 'alert.resolved', by: ['alertId'] },
  'maintenance.started': { event: 'maintenance.ended', by: ['occurrenceId'] },
}

const Scalar = z.union([z.string().max(500), z.number(), z.boolean()])
/** A value that a field of the event has, or values of which it has one. */
const EventMatch = z
  .record(z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,62}$/), z.union([Scalar, z.array(Scalar).min(1).max(100)]))
  .refine((given) => Object.keys(given).length <= 20, { error: 'must name at most 20 fields' })
export type EventMatch = z.infer<typeof EventMatch>

const Schedule = z.strictObject({
  type: z.literal('schedule'),
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: z.string().trim().min(1).max(200),
  timezone: z
    .string()
    .max(100)
    .refine(isTimezone, { error: 'must be a time zone such as Europe/Berlin' })
    .transform(timezoneName)
    .default('UTC'),
  /** A time that is this late is missed. */
  catchUpSeconds: z.int().min(0).max(604_800).default(3_600),
})
const OnEvent = z
  .strictObject({
    type: z.literal('event'),
    event: z
      .string()
      .refine((name) => eventNames.has(name), { error: 'must be a type of event such as device.offline' }),
    match: EventMatch.default({}),
    /** Runs only if the opposite event does not come within this time. */
    forSeconds: z.int().min(0).max(604_800).default(0),
  })
  .refine(({ event, forSeconds }) => forSeconds === 0 || Object.hasOwn(opposites, event), {
    error: 'is only for events with an opposite, such as device.offline',
    path: ['forSeconds'],
  })
const OnWebhook = z.strictObject({ type: z.literal('webhook') })
const Manual = z.strictObject({ type: z.literal('manual') })

export const Trigger = z.discriminatedUnion('type', [Schedule, OnEvent, OnWebhook, Manual])
export type Trigger = z.infer<typeof Trigger>

export const TriggerType = z.enum(['schedule', 'event', 'webhook', 'manual'])
