import { del, get, id, page, pageOf, personCan, post, success, time, unaudited } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Whether the caller is notified when the device is online again. */
const DeviceWatch = z.object({ deviceId: id(), watching: z.boolean() })
/** A device that the caller waits for. */
const WatchedDevice = z.object({
  deviceId: id(),
  name: z.string(),
  orgId: id(),
  siteId: id().nullable(),
  createdAt: time(),
})
export type WatchedDevice = z.infer<typeof WatchedDevice>
const audit = unaudited('it changes only the notifications of the caller')
const input = z.object({ id: id() })

export const deviceWatches = {
  list: get('/devices/watches', {
    summary: 'List the devices that you wait for, the latest first',
    access: personCan('devices:read'),
    input: z.object(page),
    output: pageOf(WatchedDevice),
  }),
  get: get('/devices/:id/watch', {
    summary: 'Get whether you are notified when a device is online again',
    access: personCan('devices:read'),
    input,
    output: DeviceWatch,
  }),
  create: post('/devices/:id/watch', {
    summary: 'Start to wait for a device to be online again: you are notified once. A repetition changes nothing',
    access: personCan('devices:read'),
    audit,
    input,
    output: DeviceWatch,
  }),
  remove: del('/devices/:id/watch', {
    summary: 'Stop waiting for a device to be online again',
    access: personCan('devices:read'),
    audit,
    input,
    output: success,
  }),
}
