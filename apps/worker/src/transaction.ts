import type pg from 'pg'

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

// Classes of errors that lie in what was written. Anything else (connections, locks, time-outs, missing tables or
// rights, a full disk) is cured outside the data, and the data has to wait for it.
const dataErrors = new Set(['21', '22', '23', '54', 'P0', 'XX'])
const redisStates = /^(LOADING|MISCONF|OOM|READONLY|BUSY|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)/
const connectionTroubles =
  /connection|timeout|timed out|terminated|not queryable|closed|max retries|stream isn't writeable/i

/** Whether a failure lies with a store or the way to it, so that the same work may well succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/^[0-9A-Z]{5}$/.test(code)) return !dataErrors.has(code.slice(0, 2))
  return /^E[A-Z]+$/.test(code) || redisStates.test(error.message) || connectionTroubles.test(error.message)
}
