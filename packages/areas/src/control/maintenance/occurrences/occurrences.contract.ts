import { can, get, id, moment, page, pageOf, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Activity } from '../maintenance.contract.ts'

export const OccurrenceStatus = z.enum(['scheduled', 'active', 'completed', 'cancelled'])
export type OccurrenceStatus = z.infer<typeof OccurrenceStatus>

/** One time at which a maintenance window is in effect. */
export const Occurrence = z.object({
  id: id(),
  windowId: id(),
  orgId: id().nullable(),
  name: z.string(),
  timezone: z.string(),
  startsAt: time(),
  endsAt: time(),
  startedAt: time().nullable(),
  endedAt: time().nullable(),
  status: OccurrenceStatus,
  endedBy: z.enum(['time', 'person', 'cancel']).nullable(),
  /** How many devices it concerns, or concerned when it ended. */
  deviceCount: z.number(),
  /** How often each activity was held back. */
  suppressed: z.record(Activity, z.number()),
  /** Devices that were online at the start and offline 15 minutes after the end. */
  notReturned: z.array(id()),
})
export type Occurrence = z.infer<typeof Occurrence>

/** Of all lists of windows and occurrences. */
export const listFilter = {
  from: moment().optional(),
  to: moment().optional(),
  status: OccurrenceStatus.optional(),
  orgId: id().optional(),
  siteId: id().optional(),
  deviceId: id().optional(),
}
const oneOccurrence = z.object({ id: id() })

export const occurrences = {
  list: get('/maintenance/occurrences', {
    summary: 'List occurrences of maintenance windows',
    access: can('devices:read'),
    input: z.object({ ...listFilter, ...page }),
    output: pageOf(Occurrence),
  }),
  active: get('/maintenance/active', {
    summary: 'List the active occurrences of maintenance windows',
    access: can('devices:read'),
    input: z.object({ ...listFilter, ...page }),
    output: pageOf(Occurrence),
  }),
  get: get('/maintenance/occurrences/:id', {
    summary: 'Get an occurrence of a maintenance window',
    access: can('devices:read'),
    input: oneOccurrence,
    output: Occurrence,
  }),
  start: post('/maintenance/occurrences/:id/start', {
    summary: 'Start a scheduled occurrence now',
    access: can('devices:write'),
    audit: 'maintenance_occurrence.start',
    input: z.object({ id: id(), endsAt: moment().optional().describe('After the duration of the window if absent.') }),
    output: Occurrence,
  }),
  end: post('/maintenance/occurrences/:id/end', {
    summary: 'End an active occurrence now',
    access: can('devices:write'),
    audit: 'maintenance_occurrence.end',
    input: oneOccurrence,
    output: Occurrence,
  }),
}
