import { type Event, EventLevel, type ListEvents } from '@muster/wire/commands/event-logs.ts'
import type { z } from 'zod'

type Asked = z.infer<typeof ListEvents>

/** Whether a request asks for this event. */
export function fits(event: Event, { level, search, source, since, until }: Asked): boolean {
  if (search !== undefined && !event.message.toLowerCase().includes(search.toLowerCase())) return false
  if (source !== undefined && event.source !== source) return false
  if (level !== undefined) {
    if (event.level === null) return false
    if (EventLevel.options.indexOf(event.level) > EventLevel.options.indexOf(level)) return false
  }
  if (since === undefined && until === undefined) return true
  if (event.at === null) return false
  const at = Date.parse(event.at)
  return (since === undefined || at >= Date.parse(since)) && (until === undefined || at <= Date.parse(until))
}
