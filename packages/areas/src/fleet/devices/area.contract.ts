import { devices } from './devices.contract.ts'
import { inventory } from './inventory/inventory.contract.ts'
import { tags } from './tags.contract.ts'

export default { devices, inventory, tags }
