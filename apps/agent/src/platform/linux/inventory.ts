import type { InventorySections } from '../platform.ts'
import { collectDisks, collectHardware, collectNetwork } from './hardware.ts'
import { collectServices } from './services.ts'
import { collectSoftware } from './software.ts'
import { collectUsers } from './users.ts'

/** Sequentially, to limit the load on the machine. */
export async function collectInventory(): Promise<InventorySections> {
  return {
    hardware: await collectHardware(),
    disks: await collectDisks(),
    network: await collectNetwork(),
    software: await collectSoftware(),
    services: await collectServices(),
    users: await collectUsers(),
  }
}
