// What other areas may use of devices.
export { askable, askDevice, type Question } from './ask-device.ts'
export { requireToolReach } from './blast-radius.ts'
export type { CommandRegistry } from './command-registry.ts'
export type { Target } from './commands.queries.ts'
export { tellOfCommands } from './delivery.ts'
export { decommissionDevice, lockDevice, moveDevice, quarantineDevice, releaseDevice } from './departure.ts'
export { tellAdministrators } from './device-notices.ts'
export { asDevice, deviceById, deviceColumns, stateColumns } from './devices.queries.ts'
export { dismissDuplicates, noteDuplicates } from './duplicates.ts'
export { conditionOf } from './filter-condition.ts'
export { containing, isNamed, partLengthLeast } from './named-devices.ts'
export { frameToOrder, type Instruction, type OrderSigner } from './order-signer.ts'
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
} from './registration.ts'
export { visibleDevices } from './visibility.ts'
