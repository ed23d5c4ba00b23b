import type { InventorySections } from '../platform.ts'
import { collectDisks, collectHardware, collectNetwork } from './hardware.ts'
import { collectServices } from './services.ts'
import { collectSoftware } from './software.ts'
import { collectUsers } from './users.ts'

/** One part after the other: collecting shares the machine with the work that it is there for. */
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
