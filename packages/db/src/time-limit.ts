import { type RawBuilder, sql } from 'kysely'
import { consecutively, type Db } from './database.ts'

const canceledByTime = '57014'

/**
 * The rows of a query that the server may spend this long on; null if it took longer. For reads only: in an open transaction
 * the canceled statement would fail all that follows.
 */
export async function rowsWithin<Row>(db: Db, ms: number, query: RawBuilder<Row>): Promise<Row[] | null> {
  if (ms < 1) return null
  // Planned for the given ids and times: a plan for any would not end in time where one for these does.
  const limit = sql`SELECT set_config('statement_timeout', ${String(Math.ceil(ms))}, true), set_config('plan_cache_mode', 'force_custom_plan', true)`
  try {
    return await consecutively(db, limit, query)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === canceledByTime) return null
    throw error
  }
}
