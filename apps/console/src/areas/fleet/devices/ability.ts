import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Capability } from '@muster/areas/fleet/devices/state/capabilities.rules.ts'

type Able = Pick<DeviceDetail, 'capabilities'>

const words = {
  UNSUPPORTED_PLATFORM: 'The operating system of this device does not have this',
  MISSING_TOOL: 'A program that this needs is not installed on the device',
  NOT_PERMITTED: 'The agent has no permission for this on the device',
  AGENT_TOO_OLD: 'The agent of this device is too old for this',
} as const

/** Why a device cannot serve a command; undefined if it can. */
export const inabilityOf = ({ capabilities }: Able, command: Capability) => capabilities.unavailable[command]

/** Whether the system of a device has a command, even if the device cannot serve it now. */
export const isOfSystem = (device: Able, command: Capability): boolean =>
  inabilityOf(device, command) !== 'UNSUPPORTED_PLATFORM'

/** Why a device cannot serve a command, in words; undefined if it can. */
export function inabilityWords(device: Able, command: Capability): string | undefined {
  const inability = inabilityOf(device, command)
  return inability && words[inability]
}
