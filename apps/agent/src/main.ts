import { setFlagsFromString } from 'node:v8'

// An agent is idle nearly always: memory counts, speed hardly. Set before anything else is loaded, or it comes too late.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--max-lazy')
setFlagsFromString('--semi-space-growth-factor=1')

const [, , part, ...rest] = process.argv

/** What the executable can be; each part loads only what it needs. */
async function main(): Promise<void> {
  if (part === 'watchdog') return (await import('./watchdog/start.ts')).startWatchdog(rest)
  if (part === 'collect-inventory') return (await import('./inventory-process.ts')).printInventory()
  if (part === 'fetch-update') return (await import('./update/fetch-process.ts')).fetchUpdate()
  const { start } = await import('./start.ts')
  return start(process.argv.slice(2))
}

// Not awaited here, because the executable is made of a script, which cannot.
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
})
