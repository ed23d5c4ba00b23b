import { can, changes, del, id, nameText, patch, personCan, post, success } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Device } from '../../fleet/devices/devices.contract.ts'

/** Changes of a device after its enrollment. */
export const lifecycle = {
  update: patch('/devices/:id', {
    summary: 'Update the display name of a device or its site within the organization',
    access: can('devices:write'),
    audit: 'device.update',
    input: changes({ id: id() }, { displayName: nameText().nullable(), siteId: id().nullable() }),
    output: Device,
  }),
  moveOrg: post('/devices/:id/move-org', {
    summary: 'Move a device to another organization of the same partner. Its open commands are canceled',
    access: can('devices:write', 'partner', 'system'),
    audit: 'device.move',
    input: z.object({ id: id(), orgId: id(), siteId: id().nullable().default(null) }),
    output: Device,
  }),
  remove: del('/devices/:id', {
    summary: 'Decommission a device. Its certificate is revoked, its open commands are canceled, and its history stays',
    access: can('devices:delete'),
    audit: 'device.decommission',
    input: z.object({ id: id() }),
    output: success,
  }),
  quarantine: post('/devices/:id/quarantine', {
    summary: 'Quarantine a device. Its connections are closed and new ones are rejected until the device is released',
    access: can('devices:write'),
    audit: 'device.quarantine',
    input: z.object({ id: id(), reason: z.string().trim().min(1).max(500) }),
    output: Device,
  }),
  release: post('/devices/:id/release', {
    summary: 'Release a device from quarantine. The next machine that connects with its key is the device',
    access: personCan('devices:write'),
    audit: 'device.release',
    input: z.object({ id: id() }),
    output: Device,
  }),
  dismissDuplicates: post('/devices/:id/duplicates/dismiss', {
    summary: 'Dismiss one or all possible duplicates of a device as different machines',
    access: can('devices:write'),
    audit: 'device.duplicate.dismiss',
    input: z.object({ id: id(), deviceId: id().optional() }),
    output: z.object({ dismissed: z.array(id()) }),
  }),
}
