import { asSystem } from '@muster/db/database.ts'
import { testServices } from '@muster/testkit/services.ts'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { behindSavepoint } from './savepoint.ts'

const { system, log } = await testServices()

it.each([
  [1, 2],
  [3, 3],
])('changes alerts again after a deadlock, up to three times: %i deadlocks, %i tries', async (deadlocks, tries) => {
  let tried = 0
  await asSystem(system, (db) =>
    behindSavepoint(db, log, async () => {
      if (tried++ < deadlocks) await sql`DO $$ BEGIN RAISE 'locked' USING ERRCODE = '40P01'; END $$`.execute(db)
      return []
    }),
  )
  expect(tried).toBe(tries)
})

it('undoes a failed change of alerts alone, and lets the transaction go on', async () => {
  const kept = await asSystem(system, async (db) => {
    const set = (value: string) => sql`SELECT set_config('muster.test_value', ${value}, true)`.execute(db)
    await set('before')
    const events = await behindSavepoint(db, log, async () => {
      await set('within')
      await sql`SELECT 1 / 0`.execute(db)
      return []
    })
    expect(events).toEqual([])
    const { rows } = await sql<{ value: string }>`SELECT current_setting('muster.test_value') AS value`.execute(db)
    return rows[0]?.value
  })
  expect(kept).toBe('before')
})
