/*
 * Collects the inventory and prints it as JSON. A process of its own: what it loads and gathers is given back to the
 * system when it is done, and a tool that hangs takes nothing with it.
 */
import { loadPlatform } from './platform/load.ts'

const platform = await loadPlatform()
process.stdout.write(JSON.stringify(await platform.collectInventory()))
