import { deviceMaintenance } from './maintenance.contract.ts'
import { occurrences } from './occurrences/occurrences.contract.ts'
import { windows } from './windows.contract.ts'

export default { windows, occurrences, devices: deviceMaintenance }
