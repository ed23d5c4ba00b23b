// npm run library [-- --dry-run]
import '@muster/kit/production.ts'

import { writeSystemScripts } from '@muster/areas/change/scripts/index.ts'
import { createPool } from '@muster/db/pool.ts'
import { readConfig } from '@muster/kit/config.ts'
import { adminSettings } from './config.ts'

const usage = `usage: npm run library [-- --dry-run]
Writes the system scripts of this version into the database, as admin does when it starts, and prints what changed.
With --dry-run it only prints what would change. Reads SYSTEM_DATABASE_URL like admin.`

async function main(given: readonly string[]): Promise<void> {
  const dryRun = given[0] === '--dry-run'
  if (given.length > (dryRun ? 1 : 0)) throw new Error(usage)
  const { SYSTEM_DATABASE_URL: url } = readConfig(adminSettings.pick({ SYSTEM_DATABASE_URL: true }))
  const system = createPool({ url, name: 'muster-library', max: 1 })
  try {
    const changes = await writeSystemScripts(system, { dryRun })
    const lines = changes.map(({ change, key }) => `${change} ${key}\n`)
    process.stdout.write(lines.length === 0 ? 'nothing to change\n' : lines.join(''))
  } finally {
    await system.end()
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
