import { setFlagsFromString } from 'node:v8'

// An agent is mostly idle: memory matters, speed hardly. Must be set before anything else is loaded.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--max-lazy')
setFlagsFromString('--semi-space-growth-factor=1')

const [, , part, ...rest] = process.argv

/** The programs in this executable; each loads only what it needs. */
async function main(): Promise<void> {
  if (part === 'watchdog') return (await import('./watchdog/start.ts')).startWatchdog(rest)
  if (part === 'service') return (await import('./watchdog/start.ts')).startService(rest)
  if (part === 'collect-inventory') return (await import('./inventory-process.ts')).printInventory()
  if (part === 'fetch-update') return (await import('./update/fetch-process.ts')).fetchUpdate()
  const { start } = await import('./start.ts')
  return start(process.argv.slice(2))
}

// Not awaited, because the executable is made from a script, which has no top-level await.
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
})
