import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { devicesExamples, inventoryExamples, tagsExamples } from './devices.examples.ts'
import devices from './devices.ts'
import inventory from './inventory/inventory.ts'
import tags from './tags.ts'

export default area({
  name: 'devices',
  contract,
  handlers: { devices, inventory, tags },
  examples: { devices: devicesExamples, inventory: inventoryExamples, tags: tagsExamples },
})
