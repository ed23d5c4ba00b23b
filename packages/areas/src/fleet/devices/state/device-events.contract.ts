import { z } from 'zod'
import { device, event } from '../../../platform/live-events/event.contract.ts'
import { DeviceStatus } from '../devices.contract.ts'

const figure = z.number().nullable().optional()

export const deviceStatus = event('device.status', device, { status: DeviceStatus })

export const deviceHeartbeat = event(
  'device.heartbeat',
  device,
  {
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
  },
  { newestOnly: true },
)

/** Another property of the device changed. `changed` names it; the device itself has the new value. */
export const deviceChanged = event('device.changed', device, { changed: z.string().optional() })
