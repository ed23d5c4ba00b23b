import {
  ask,
  can,
  changes,
  create,
  del,
  get,
  id,
  limit,
  nameText,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Device } from '../devices/devices.contract.ts'
import { FilterExpression } from '../filter-language/filter.contract.ts'
import { FilterPreview } from '../filters/filters.contract.ts'

const name = nameText()
const description = z.string().max(2_000).nullable()
const deviceIds = z.array(id()).min(1).max(1_000)
const one = z.object({ id: id() })
const oneMember = z.object({ id: id(), deviceId: id() })

/** A set of devices of one organisation, or of one of its sites: chosen by hand (static) or by a filter (dynamic). */
export const Group = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  name: z.string(),
  description,
  type: z.enum(['static', 'dynamic']),
  filter: z.record(z.string(), z.json()).nullable(),
  deviceCount: z.number(),
  /** When the filter was last asked about all devices. */
  evaluatedAt: time().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type Group = z.infer<typeof Group>

const LogEntry = z.object({
  id: id(),
  groupId: id(),
  deviceId: id(),
  hostname: z.string().nullable(),
  action: z.enum(['added', 'removed', 'pinned', 'unpinned']),
  reason: z.enum(['manual', 'filter', 'moved', 'decommissioned']),
  actorId: id().nullable(),
  at: time(),
})

export const groups = {
  list: get('/groups', {
    summary: 'List device groups',
    access: can('devices:read'),
    input: z.object({
      orgId: id().optional(),
      siteId: id().optional(),
      type: z.enum(['static', 'dynamic']).optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(Group),
  }),
  create: create('/groups', {
    summary: 'Create a group. With a filter, the group is dynamic and gets its members at once',
    access: can('devices:write'),
    audit: 'group.create',
    input: z.object({
      orgId: id(),
      siteId: id().nullable().default(null),
      name,
      description: description.default(null),
      type: z.enum(['static', 'dynamic']).optional(),
      filter: FilterExpression.optional(),
      deviceIds: deviceIds.optional(),
    }),
    output: Group,
  }),
  get: get('/groups/:id', { summary: 'Get a group', access: can('devices:read'), input: one, output: Group }),
  update: patch('/groups/:id', {
    summary: 'Update a group. A new filter applies at once',
    access: can('devices:write'),
    audit: 'group.update',
    input: changes({ id: id() }, { name, description, filter: FilterExpression }),
    output: Group,
  }),
  remove: del('/groups/:id', {
    summary: 'Delete a group. Its devices stay',
    access: can('devices:write'),
    audit: 'group.delete',
    input: one,
    output: success,
  }),
  preview: ask('/groups/:id/preview', {
    summary: 'Preview the devices that the filter of a dynamic group, or another filter, matches now',
    access: can('devices:read'),
    input: one.extend({ filter: FilterExpression.optional(), limit: limit(100, 20) }),
    output: FilterPreview,
  }),
}

const Member = Device.extend({ pinned: z.boolean(), addedAt: time() })

export const members = {
  list: get('/groups/:id/devices', {
    summary: 'List the devices of a group',
    access: can('devices:read'),
    input: one.extend(page),
    output: pageOf(Member),
  }),
  add: post('/groups/:id/devices', {
    summary: 'Add devices to a static group',
    access: can('devices:write'),
    audit: 'group.members.add',
    input: one.extend({ deviceIds }),
    output: z.object({ added: z.array(id()), skipped: z.array(z.object({ deviceId: id(), reason: z.string() })) }),
  }),
  remove: del('/groups/:id/devices/:deviceId', {
    summary: 'Remove a device from a static group',
    access: can('devices:write'),
    audit: 'group.members.remove',
    input: oneMember,
    output: success,
  }),
  pin: post('/groups/:id/devices/:deviceId/pin', {
    summary: 'Pin a device to a dynamic group, regardless of the filter',
    access: can('devices:write'),
    audit: 'group.pin',
    input: oneMember,
    output: success,
  }),
  unpin: del('/groups/:id/devices/:deviceId/pin', {
    summary: 'Unpin a device from a dynamic group',
    access: can('devices:write'),
    audit: 'group.unpin',
    input: oneMember,
    output: success,
  }),
  log: get('/groups/:id/membership-log', {
    summary: 'List membership changes of a group, newest first',
    access: can('devices:read'),
    input: one.extend(page),
    output: pageOf(LogEntry),
  }),
}
