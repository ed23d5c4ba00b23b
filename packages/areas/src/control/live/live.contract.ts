import { can, csv, id, live as stream } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { deviceChanged, deviceHeartbeat, deviceStatus } from '../../fleet/devices/state/device-events.contract.ts'
import { commandChanged } from '../commands/command-events.contract.ts'

/** Read the current state: the stream begins, or events were missed. Every later change is an event. */
const Resync = z.object({ type: z.literal('resync'), at: z.number() })

export const DeviceEvent = z.discriminatedUnion('type', [
  deviceStatus.schema,
  deviceHeartbeat.schema,
  deviceChanged.schema,
  commandChanged.schema,
  Resync,
])
export type DeviceEvent = z.infer<typeof DeviceEvent>

export const live = {
  events: stream('/devices/events', {
    summary: 'Stream events of the devices that you can see, starting with `resync`',
    access: can('devices:read'),
    input: z.object({
      orgIds: csv(id()).optional(),
      siteIds: csv(id()).optional(),
      deviceIds: csv(id(), 5_000).optional(),
    }),
    output: DeviceEvent,
  }),
}
