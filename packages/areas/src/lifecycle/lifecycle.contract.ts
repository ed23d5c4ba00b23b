import { can, del, id, post, success } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Device } from '../devices/devices.contract.ts'

/** What changes a device's place in the fleet once it is there. */
export const lifecycle = {
  moveOrg: post('/devices/:id/move-org', {
    summary: 'Move a device with its history to another organisation of the same partner',
    access: can('devices:write', 'partner', 'system'),
    audit: 'device.move',
    input: z.object({ id: id(), orgId: id(), siteId: id().nullable().default(null) }),
    output: Device,
  }),
  remove: del('/devices/:id', {
    summary: 'Decommission a device: its certificate ends, its open commands are called off, its history stays',
    access: can('devices:delete'),
    audit: 'device.decommission',
    input: z.object({ id: id() }),
    output: success,
  }),
}
