import { dll } from './koffi.ts'
import { struct, u8, u32 } from './layout.ts'

/** SYSTEM_POWER_STATUS */
export const PowerStatus = struct({
  mainsConnected: u8,
  batteryFlags: u8,
  percent: u8,
  saverOn: u8,
  secondsLeft: u32,
  secondsFull: u32,
})

export const getPowerStatus = dll('kernel32').func<(status: Buffer) => number>('GetSystemPowerStatus', 'int', [
  'void *',
])
