// Types of events in words. Integrators need the types themselves, so screens show both.
import { capital } from '../../ui/text/words.ts'

const special = new Map([
  ['agent.silent', 'Agent stopped'],
  ['maintenance.not_returned', 'Devices did not return after maintenance'],
  ['system.alive', 'Muster is alive'],
])
const spaced = (type: string) => type.replace(/[._]/g, ' ')

/** A type of event, or a group of types such as `device.*`, in words. */
export function eventText(type: string): string {
  if (type === '*') return 'All events'
  if (type.endsWith('.*')) return `All ${spaced(type.slice(0, -2))} events`
  return special.get(type) ?? capital(spaced(type))
}

/** What a type of event is about, such as “Alert channel”. */
export const eventGroup = (type: string): string => (type === '*' ? 'All' : capital(spaced(type.split('.')[0] ?? '')))
