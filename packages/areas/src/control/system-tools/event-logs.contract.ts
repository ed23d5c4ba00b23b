import { get, limit, moment } from '@muster/kit/contract.ts'
import {
  EventDetail,
  EventList,
  EventLogDetail,
  EventLogList,
  eventLogName,
  eventsMax,
  GetEvent,
  ListEvents,
} from '@muster/wire/commands/event-logs.ts'
import { z } from 'zod'
import { access, base, device, own } from './device.contract.ts'

const { level, search, source, before } = ListEvents.shape

export const eventLogs = {
  list: get(`${base}/eventlogs`, {
    summary: 'List event logs of a device: the journal and the text files of the system log',
    access,
    ...own,
    input: z.object(device),
    output: EventLogList,
  }),
  get: get(`${base}/eventlogs/:name`, {
    summary: 'Get an event log',
    access,
    ...own,
    input: z.object({ ...device, name: eventLogName }),
    output: EventLogDetail,
  }),
  events: get(`${base}/eventlogs/:name/events`, {
    summary: 'List events of a log, newest first',
    access,
    ...own,
    input: z.object({
      ...device,
      name: eventLogName,
      limit: limit(eventsMax, 100),
      level,
      search,
      source,
      since: moment().optional(),
      until: moment().optional(),
      before,
    }),
    output: EventList,
  }),
  event: get(`${base}/eventlogs/:name/events/:recordId`, {
    summary: 'Get an event with all its fields',
    access,
    ...own,
    input: z.object({ ...device, name: eventLogName, recordId: GetEvent.shape.recordId }),
    output: EventDetail,
  }),
}
