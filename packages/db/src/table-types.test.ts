import { readFile } from 'node:fs/promises'
import { testDatabase } from '@muster/testkit/stores.ts'
import pg from 'pg'
import { expect, it } from 'vitest'
import { tableTypes } from './table-types.ts'

it('tables.ts matches the migrations; if not, run `npm run tables`', async () => {
  const client = new pg.Client({ connectionString: testDatabase().ownerUrl })
  await client.connect()
  const made = await tableTypes(client)
  await client.end()
  expect(await readFile(new URL('tables.ts', import.meta.url), 'utf8')).toBe(made)
})
