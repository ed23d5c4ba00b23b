import { testServices } from '@muster/testkit/services.ts'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readAsSystem } from './database.ts'
import { rowsWithin } from './time-limit.ts'

const { system } = await testServices()

it('gives up a query that takes longer than it may, and answers the next', async () => {
  const answers = await readAsSystem(system, async (db) => [
    await rowsWithin(db, 50, sql`SELECT pg_sleep(10)`),
    await rowsWithin(db, 5_000, sql`SELECT 1 AS one`),
    await rowsWithin(db, 0, sql`SELECT 1 AS one`),
  ])
  expect(answers).toEqual([null, [{ one: 1 }], null])
})

it('reports other failures', async () => {
  await expect(readAsSystem(system, (db) => rowsWithin(db, 1_000, sql`SELECT 1 / 0`))).rejects.toThrow(/zero/)
})
