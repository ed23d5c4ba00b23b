import { setFlagsFromString } from 'node:v8'
import { spareMemory } from './spare-memory.ts'

/**
 * An agent is mostly idle: memory matters, speed hardly. Compiled code is discarded early, and none is optimized, which
 * would load the compilers of the runtime into every process.
 */
const savingFlags = [
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--bytecode-old-age=1',
  '--semi-space-growth-factor=1',
]
/** Parts that work hard for a few seconds and end. */
const shortParts: readonly (string | undefined)[] = ['collect-inventory', 'fetch-update']

const [, , part, ...rest] = process.argv
if (!shortParts.includes(part)) {
  // Before anything else is loaded.
  for (const flag of savingFlags) setFlagsFromString(flag)
  spareMemory()
}

/** The programs in this executable; each loads only what it needs. */
async function main(): Promise<void> {
  if (part === 'watchdog') return (await import('./watchdog/start.ts')).startWatchdog(rest)
  if (part === 'service') return (await import('./watchdog/start.ts')).startService(rest)
  if (part === 'install') return (await import('./setup/setup.ts')).install(rest)
  if (part === 'uninstall') return (await import('./setup/setup.ts')).uninstall(rest)
  if (part === 'collect-inventory') return (await import('./inventory-process.ts')).printInventory()
  if (part === 'fetch-update') return (await import('./update/fetch-process.ts')).fetchUpdate()
  if (part === 'run-as-user') return (await import('./user-script-process.ts')).runUserScript(rest)
  const { start } = await import('./start.ts')
  return start(process.argv.slice(2))
}

// Not awaited, because the executable is made from a script, which has no top-level await.
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
})
