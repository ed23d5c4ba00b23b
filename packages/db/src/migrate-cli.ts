import { postgresUrl, readConfig } from '@muster/kit/config.ts'
import { z } from 'zod'
import { migrate } from './migrate.ts'

try {
  const { DATABASE_URL } = readConfig(z.object({ DATABASE_URL: postgresUrl() }))
  const applied = await migrate({
    ownerUrl: DATABASE_URL,
    onApplied: (name, ms) => console.log(`applied ${name} (${ms.toFixed(0)} ms)`),
  })
  console.log(applied.length === 0 ? 'nothing to apply' : `${applied.length} applied`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
