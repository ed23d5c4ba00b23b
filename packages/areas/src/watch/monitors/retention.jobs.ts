import type pg from 'pg'
import { at } from '../../background/job.ts'

const days = { raw: 7, fiveMinutes: 60, hours: 400, spans: 400 } as const
const rowsAtOnce = 20_000

/** Deletes in portions, so that no statement holds locks for long. */
async function deleteOld(pool: pg.Pool, table: string, condition: string): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rowCount } = await pool.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}))`,
    )
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < rowsAtOnce) return deleted
  }
}

/** @returns how many rows were deleted */
export async function dropOldResults(pool: pg.Pool): Promise<number> {
  const before = (count: number) => `now() - interval '${count} days'`
  return (
    (await deleteOld(pool, 'monitor_results', `at < ${before(days.raw)}`)) +
    (await deleteOld(pool, 'monitor_rollups', `seconds = 300 AND at < ${before(days.fiveMinutes)}`)) +
    (await deleteOld(pool, 'monitor_rollups', `seconds = 3600 AND at < ${before(days.hours)}`)) +
    (await deleteOld(pool, 'monitor_spans', `ended_at < ${before(days.spans)}`))
  )
}

export const monitorRetention = at('47 * * * *', 'monitor-retention', async ({ pool, log }) => {
  log.info({ deleted: await dropOldResults(pool) }, 'old results of monitors deleted')
})
