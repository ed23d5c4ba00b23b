import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The rows that the open transaction wrote to each table, including earlier counts of the connection. */
export async function rowsWritten(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ table: string; rows: number }>`SELECT relname AS table,
    (n_tup_ins + n_tup_upd + n_tup_del)::int AS rows FROM pg_stat_xact_user_tables`.execute(db)
  return new Map(rows.map(({ table, rows: count }) => [table, count]))
}
