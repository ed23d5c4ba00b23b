import { RefreshInventory } from '@muster/wire/commands/agent.ts'
import type { InventoryReporter } from '../inventory-reporter.ts'
import { type CommandKind, defineCommand } from './command.ts'

/** Collects the inventory and sends it before the result, changed or not. */
export function refreshInventory(reporter: InventoryReporter): CommandKind {
  return defineCommand(RefreshInventory, async () => {
    const { hash, disks, network, software, services, users } = await reporter.refresh()
    const counts = {
      disks: disks.length,
      network: network.length,
      software: software.length,
      services: services.length,
      users: users.length,
    }
    return { status: 'completed', result: { hash, counts } }
  })
}
