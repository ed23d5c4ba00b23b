import type { Driver } from '@muster/wire/messages/inventory.ts'
import { kernelDrivers } from '../calls/services.ts'
import { native } from '../thread/native-thread.ts'
import { driverOf } from './driver-entry.ts'
import { keyBelow, keyNames, keyValues, machineKey } from './registry-reading.ts'

const deviceClasses = 'SYSTEM\\CurrentControlSet\\Control\\Class'

/** The drivers of devices with their versions, one entry for equal devices, and then all services of the kernel. */
export async function collectDrivers(): Promise<Driver[]> {
  const classes = machineKey(deviceClasses)
  const found = keyNames(classes).flatMap((name) => {
    const devices = keyBelow(classes, name)
    const numbers = keyNames(devices).filter((number) => /^\d{4}$/.test(number))
    return numbers.flatMap((number) => driverOf(keyValues(keyBelow(devices, number))) ?? [])
  })
  const ofDevices = new Map(found.map((driver) => [`${driver.name}\n${driver.version}`, driver]))
  const { services } = await native('listServices', [kernelDrivers])
  const ofKernel = services.map(({ name, displayName, state, startup }) => ({
    name: name.slice(0, 255),
    displayName: displayName?.slice(0, 255),
    state,
    startup: startup ?? undefined,
  }))
  return [...ofDevices.values(), ...ofKernel]
}
