// Builds the console, for images and packages where it cannot be built later.
import { ensureConsole } from './console.ts'

const wasDue = await ensureConsole()
process.stdout.write(wasDue ? '✓ console built into apps/console/dist\n' : '✓ console is up to date\n')
