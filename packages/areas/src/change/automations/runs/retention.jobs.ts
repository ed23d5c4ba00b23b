import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { at } from '../../../background/job.ts'

const keptDays = 90
const rowsMax = 5_000

/** Deletes runs that ended long ago, in portions, so that no statement takes long. */
export async function deleteOldRuns(pool: pg.Pool): Promise<void> {
  let deleted = rowsMax
  while (deleted === rowsMax)
    deleted = await asSystem(pool, async (db) => {
      const { rows } = await sql`DELETE FROM automation_runs WHERE id IN (
        SELECT id FROM automation_runs WHERE finished_at < now() - make_interval(days => ${keptDays}) LIMIT ${rowsMax})
        RETURNING id`.execute(db)
      return rows.length
    })
}

export const automationRetention = at('40 3 * * *', 'automation-retention', ({ pool }) => deleteOldRuns(pool))
