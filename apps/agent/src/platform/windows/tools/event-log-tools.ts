import type { Event } from '@muster/wire/commands/event-logs.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { EventLogTools } from '../../tools.ts'
import type { EventXml } from '../event-xml.ts'
import { native } from '../thread/native-thread.ts'

const logsMax = 500
const messageCharsMax = 8_000
const readTimeoutMs = 25_000

/** The channels of the Windows event log. A record is identified by its number. */
export function createEventLogTools(): EventLogTools {
  return {
    async list() {
      const { names, truncated } = await native('listChannels', [logsMax])
      const logs = names.map((name) => ({ name, source: 'channel' as const, sizeBytes: null, modifiedAt: null }))
      return { logs: logs.sort((a, b) => (a.name < b.name ? -1 : 1)), truncated }
    },

    async detail(name) {
      const detail = await native('logDetail', [name])
      return { ...detail, source: 'channel', firstAt: null, lastAt: detail.modifiedAt }
    },

    async events(what) {
      const before = what.before === undefined ? null : recordNumber(what.before)
      const { events, hasMore } = await native('readEvents', [what, before], readTimeoutMs)
      const last = events.at(-1)?.recordId
      return { events: events.map(eventOf), nextBefore: hasMore && last !== undefined ? String(last) : null }
    },

    async event({ name, recordId }) {
      const event = await native('readEvent', [name, recordNumber(recordId)], readTimeoutMs)
      if (event === null) throw new ToolFailure('NOT_FOUND', 'Event not found')
      return { ...eventOf(event), fields: { EventID: event.eventId, ...event.system, ...event.data } }
    },
  }
}

function recordNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ToolFailure('NOT_FOUND', 'Event not found')
  return Number(text)
}

function eventOf({ recordId, at, level, provider, pid, message }: EventXml & { message: string }): Event {
  return {
    recordId: String(recordId),
    ...{ at, level, pid },
    source: provider.slice(0, 255) || null,
    message: message.slice(0, messageCharsMax),
  }
}
