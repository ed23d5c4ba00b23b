import { can, csv, id, live as stream } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { DeviceStatus } from '../../fleet/devices/devices.contract.ts'
import { CommandStatus } from '../commands/commands.contract.ts'

const place = {
  orgId: id(),
  siteId: id().nullable(),
  deviceId: id(),
  /** When it happened, in milliseconds since 1970. */
  at: z.number(),
}
const figure = z.number().nullable().optional()

const StatusEvent = z.object({ type: z.literal('device.status'), ...place, status: DeviceStatus })
const HeartbeatEvent = z.object({
  type: z.literal('device.heartbeat'),
  ...place,
  cpuPercent: figure,
  memoryUsed: figure,
  memoryTotal: figure,
  diskUsed: figure,
  diskTotal: figure,
  load1m: figure,
  uptimeSeconds: figure,
  networkRxBytes: figure,
  networkTxBytes: figure,
  processCount: figure,
})
/** Something else about the device changed; `changed` says what, the device itself says how it is now. */
const ChangeEvent = z.object({ type: z.literal('device.changed'), ...place, changed: z.string().optional() })
const CommandEvent = z.object({
  type: z.literal('command.changed'),
  ...place,
  commandId: id(),
  commandType: z.string().optional(),
  status: CommandStatus,
  exitCode: z.number().nullable().optional(),
})
/** Read the current state now: it is the start, or events were missed. From here on every change is told. */
const Resync = z.object({ type: z.literal('resync'), at: z.number() })

export const DeviceEvent = z.discriminatedUnion('type', [
  StatusEvent,
  HeartbeatEvent,
  ChangeEvent,
  CommandEvent,
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
