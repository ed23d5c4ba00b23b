import { can, del, get, id, page, pageOf, post, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Device } from '../devices/devices.contract.ts'
import { deviceIds, oneGroup } from './groups.contract.ts'

const oneMember = z.object({ id: id(), deviceId: id() })

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

const Member = Device.extend({ pinned: z.boolean(), addedAt: time() })

export const members = {
  list: get('/groups/:id/devices', {
    summary: 'List the devices of a group',
    access: can('devices:read'),
    input: oneGroup.extend(page),
    output: pageOf(Member),
  }),
  add: post('/groups/:id/devices', {
    summary: 'Add devices to a static group',
    access: can('devices:write'),
    audit: 'group.members.add',
    input: oneGroup.extend({ deviceIds }),
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
    input: oneGroup.extend(page),
    output: pageOf(LogEntry),
  }),
}
