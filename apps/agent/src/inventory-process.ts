import { loadPlatform } from './platform/load.ts'

/**
 * Collects the inventory and prints it as JSON. It runs in a separate process, so that its memory is returned to the
 * system afterward, and a tool that hangs does not affect the agent.
 */
export async function printInventory(): Promise<void> {
  const platform = await loadPlatform()
  process.stdout.write(JSON.stringify(await platform.collectInventory()))
}
