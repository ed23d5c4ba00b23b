import { loadPlatform } from './platform/load.ts'

/**
 * Collects the inventory and prints it as JSON. It runs in a separate process, so that its memory is returned to the
 * system afterward, and a tool that hangs does not affect the agent.
 */
export async function printInventory(): Promise<void> {
  const platform = await loadPlatform()
  const text = JSON.stringify(await platform.collectInventory())
  // A thread whose call never returns would keep the process alive after its work.
  process.stdout.write(text, () => process.exit(0))
}
