import type { Hardware } from '@muster/wire/messages/inventory.ts'
import { getPowerStatus, PowerStatus } from '../native/power-api.ts'
import { batteryOf } from './battery-status.ts'

export function battery(): Hardware['battery'] {
  const status = Buffer.alloc(PowerStatus.size)
  return getPowerStatus(status) === 0 ? undefined : batteryOf(PowerStatus.read(status))
}
