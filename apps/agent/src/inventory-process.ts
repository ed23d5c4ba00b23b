import { loadPlatform } from './platform/load.ts'

/**
 * Collects the inventory and prints it as JSON. In a process of its own: what it loads and gathers is given back to the
 * system when it is done, and a tool that hangs takes nothing with it.
 */
export async function printInventory(): Promise<void> {
  const platform = await loadPlatform()
  process.stdout.write(JSON.stringify(await platform.collectInventory()))
}
