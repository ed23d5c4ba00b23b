import type { StoredEvent } from '../../../platform/events/event-type.contract.ts'
import type { EventMatch } from './triggers.contract.ts'

/** An event as templates and matches see it: its data with its place. */
export const fieldsOfEvent = ({ id, type, at, orgId, siteId, deviceId, data }: StoredEvent) => ({
  ...data,
  ...{ id, type, at: new Date(at).toISOString(), orgId, siteId, deviceId },
})

/** Whether each named field of the event has one of the wanted values, or contains one where it is a list. */
export const matches = (match: EventMatch, event: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(match).every(([name, wanted]) => {
    const values: readonly unknown[] = [wanted].flat()
    return Object.hasOwn(event, name) && [event[name]].flat().some((value) => values.includes(value))
  })
