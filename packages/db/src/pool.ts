import pg from 'pg'

// Times leave the database as ISO 8601 text and 64-bit numbers as JavaScript numbers, so rows need no mapper.
// Times in UTC are cut to milliseconds as text; times in other formats are converted through a Date.
const plainTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/
function iso(text: string): string {
  const parts = plainTime.exec(text)
  return parts === null ? new Date(text).toISOString() : `${parts[1]}T${parts[2]}.${(parts[3] ?? '').padEnd(3, '0')}Z`
}
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, iso)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
export interface PoolOptions {
  readonly url: string
  readonly name: string
  readonly max: number
  readonly statementMs?: number
}

/** A limited pool with timeouts for statements, locks and idle transactions. */
export function createPool(options: PoolOptions): pg.Pool {
  const statementMs = options.statementMs ?? 15_000
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.max,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementMs,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 20_000,
    keepAlive: true,
    pipeline: true,
  })
  // A connection that dies is replaced at the next use. Without listeners its error would end the process. The
  // pool emits errors of idle connections; a connection in use emits its own between two statements.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
