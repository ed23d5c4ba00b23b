import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Db } from './database.ts'

/**
 * An open transaction, of a worker's connection or of a request. Statements alias their columns to camel case (`AS "orgId"`),
 * because only requests convert names.
 */
export interface Transaction {
  query<Row extends object>(statement: Readonly<pg.QueryConfig>): Promise<{ readonly rows: Row[] }>
}

/** The transaction of a request, with the rights of its caller. */
export const transactionOf = (db: Db): Transaction => ({
  async query<Row extends object>({ text, values = [] }: Readonly<pg.QueryConfig>) {
    return db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  },
})

/**
 * One transaction on one pipelined connection. Statements that `work` starts without awaiting travel together; it may
 * start more only once those have succeeded, or they would run after the rollback.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const begun = client.query('BEGIN')
    begun.catch(() => undefined)
    const result = await work(client)
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back instead of committed')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((failed: Error) => {
      broken = failed
    })
    throw error
  } finally {
    client.release(broken)
  }
}
