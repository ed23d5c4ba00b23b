import {
  can,
  changes,
  create,
  del,
  flag,
  get,
  id,
  isTimezone,
  nameText,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
  timezoneName,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Places, SavedTargets, Targets } from '../../fleet/targets/targets.contract.ts'
import { defaultEffects, Effects } from './maintenance.contract.ts'
import { listFilter, Occurrence, OccurrenceStatus } from './occurrences/occurrences.contract.ts'
import { ruleCharsMax } from './recurrence/rule.rules.ts'

const isLocalTime = (text: string): boolean => {
  const at = new Date(`${text}:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 16) === text && text >= '2000' && text < '2100'
}
/** Local to the zone of the window. */
const localTime = () => z.string().refine(isLocalTime, { error: 'must be a local time such as 2026-01-31T22:00' })
const timezone = z
  .string()
  .max(64)
  .refine((text) => text === 'site' || isTimezone(text), {
    error: 'must be an IANA timezone, or site for each site’s own',
  })
  .transform((text) => (text === 'site' ? text : timezoneName(text)))

const schedule = {
  startsAt: localTime(),
  timezone,
  durationMinutes: z.int().min(5).max(10_080),
  rrule: z.string().min(1).max(ruleCharsMax).nullable(),
  exDates: z.array(localTime()).max(400),
}
const details = { name: nameText(), description: z.string().max(2_000).nullable() }

/** A time of planned work, once or repeated. Without an organization it belongs to the partner. */
export const Window = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  startsAt: z.string(),
  timezone: z.string(),
  durationMinutes: z.number(),
  rrule: z.string().nullable(),
  exDates: z.array(z.string()),
  targets: SavedTargets,
  exclude: SavedTargets,
  effects: Effects,
  verifyReturn: z.boolean(),
  status: OccurrenceStatus,
  /** The active one, else the next one. */
  nextOccurrence: Occurrence.nullable(),
  deviceCount: z.number(),
  createdAt: time(),
  updatedAt: time(),
})
export type Window = z.infer<typeof Window>

const targeted = { targets: Targets, exclude: Places }
const oneWindow = z.object({ id: id() })
const created = {
  orgId: id().nullable().default(null),
  partnerId: id().optional(),
  name: details.name,
  description: details.description.default(null),
  startsAt: schedule.startsAt.optional().describe('Now if absent.'),
  timezone: schedule.timezone.default('UTC'),
  durationMinutes: schedule.durationMinutes,
  rrule: schedule.rrule.default(null),
  exDates: schedule.exDates.default([]),
  targets: targeted.targets.default({}),
  exclude: targeted.exclude.default({}),
  effects: Effects.partial().default(defaultEffects),
  verifyReturn: flag().default(true),
}

export const windows = {
  list: get('/maintenance/windows', {
    summary: 'List maintenance windows',
    access: can('devices:read'),
    input: z.object({ ...listFilter, ...page }),
    output: pageOf(Window),
  }),
  create: create('/maintenance/windows', {
    summary: 'Create a maintenance window for a partner or one organization',
    access: can('devices:write'),
    audit: 'maintenance_window.create',
    input: z.object(created),
    output: Window,
  }),
  preview: post('/maintenance/windows/preview', {
    summary: 'List the next 20 occurrences that a maintenance window would have',
    access: can('devices:read'),
    audit: { unaudited: 'changes nothing' },
    input: z.object({ ...created, name: created.name.default('Preview') }),
    output: z.object({ data: z.array(Occurrence) }),
  }),
  get: get('/maintenance/windows/:id', {
    summary: 'Get a maintenance window',
    access: can('devices:read'),
    input: oneWindow,
    output: Window,
  }),
  update: patch('/maintenance/windows/:id', {
    summary: 'Update a maintenance window. A new schedule replaces the occurrences that have not started',
    access: can('devices:write'),
    audit: 'maintenance_window.update',
    input: changes(
      { id: id() },
      { ...details, ...schedule, ...targeted, effects: Effects.partial(), verifyReturn: flag() },
    ),
    output: Window,
  }),
  remove: del('/maintenance/windows/:id', {
    summary: 'Delete a maintenance window that is not active, with its occurrences',
    access: can('devices:write'),
    audit: 'maintenance_window.delete',
    input: oneWindow,
    output: success,
  }),
  cancel: post('/maintenance/windows/:id/cancel', {
    summary: 'Cancel a maintenance window and end its active occurrences',
    access: can('devices:write'),
    audit: 'maintenance_window.cancel',
    input: oneWindow,
    output: Window,
  }),
  occurrences: get('/maintenance/windows/:id/occurrences', {
    summary: 'List the occurrences of a maintenance window',
    access: can('devices:read'),
    input: z.object({ id: id(), ...listFilter, ...page }),
    output: pageOf(Occurrence),
  }),
}
