// Migrates the database of DATABASE_URL (an owner login) and writes packages/db/src/tables.ts from it.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { migrate } from '@muster/db/migrate.ts'
import { tableTypes } from '@muster/db/table-types.ts'
import { postgresUrl, readConfig } from '@muster/kit/config.ts'
import pg from 'pg'
import { z } from 'zod'

const { DATABASE_URL } = readConfig(z.object({ DATABASE_URL: postgresUrl() }))
await migrate({ ownerUrl: DATABASE_URL })
const client = new pg.Client({ connectionString: DATABASE_URL })
await client.connect()
await writeFile(fileURLToPath(new URL('../packages/db/src/tables.ts', import.meta.url)), await tableTypes(client))
await client.end()
