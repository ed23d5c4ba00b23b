import { setFlagsFromString } from 'node:v8'

// An agent is idle nearly always: memory counts, speed hardly. Set before anything else is loaded, or it comes too late.
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--max-lazy')
setFlagsFromString('--semi-space-growth-factor=1')

const { start } = await import('./start.ts')
await start(process.argv.slice(2))
