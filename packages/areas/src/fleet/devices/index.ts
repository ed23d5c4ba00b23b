// The functions of devices that other areas may use.
export { asDevice, deviceById, deviceColumns, stateColumns } from './devices.queries.ts'
export { conditionOf } from './filter/filter-condition.ts'
export { containing, isNamed, partLengthLeast } from './named-devices.ts'
export { tellAdministrators } from './registration/device-notices.ts'
export { dismissDuplicates, forgetDuplicates, noteDuplicates } from './registration/duplicates.ts'
export {
  addDevice,
  completeDevice,
  findRegistered,
  findTwins,
  giveKey,
  keyOf,
  lockMachine,
  type Machine,
  prepareDevice,
  type Registered,
} from './registration/registration.ts'
export { storeWatchdogKeys, type WatchdogKey } from './registration/watchdog-keys.ts'
export { changeEvents, type DevicePlace } from './state/device-changes.ts'
export { changeUpdating } from './state/device-status.ts'
export { type GroupDevices, maySee, visibleDevices } from './visibility.ts'
