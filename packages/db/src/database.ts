// A request's database handle: transactions on one connection, with the caller's reach set inside each of them.
import { createHash } from 'node:crypto'
import type { Caller } from '@muster/kit/access.ts'
import {
  CamelCasePlugin,
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type PluginTransformResultArgs,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  sql,
  type UnknownRow,
} from 'kysely'
import type pg from 'pg'
import { type Asked, Batch, type BatchResult, type Statement } from './batch.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

const statementNamesMax = 1_000
const statementNames = new Map<string, string>()

/** Statements with the same text share a prepared plan per connection; beyond the limit they are unnamed. */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  if (statementNames.size >= statementNamesMax) return undefined
  const name = createHash('sha1').update(text).digest('base64url')
  statementNames.set(text, name)
  return name
}

/** The driver already converts the names of columns; converting them again would cost as much as reading the rows. */
class NamesOfQueries extends CamelCasePlugin {
  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}
const plugins = [new NamesOfQueries({ maintainNestedObjectKeys: true })]
const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

const plain = (text: string): Statement => ({ name: text, text, values: [] })
const begin = plain('BEGIN')
const commit = plain('COMMIT')
const statementOf = ({ sql: text, parameters }: CompiledQuery): Statement => ({
  name: statementName(text),
  text,
  values: parameters,
})

/**
 * The connection of one request. Statements of one turn of the event loop are sent in one message. In a transaction the
 * first message also opens it. In a read each message also sets the reach and is its own transaction, because with our
 * isolation level one transaction around all of them would read the same.
 */
class Session implements Driver, DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #reach: readonly Asked[]
  /** Whether a transaction block is open, or due with the next statement. */
  #block: 'none' | 'due' | 'open'
  #isOver = false
  /** The statements of the next message. */
  readonly #next: Asked[] = []
  readonly #kept: Statement[] = []

  constructor(client: pg.PoolClient, mode: 'read' | 'write', reach: readonly Statement[]) {
    this.#client = client
    this.#reach = reach.map((statement) => ({ statement }))
    this.#block = mode === 'write' ? 'due' : 'none'
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, command, rowCount } = await this.ask([], statementOf(query))
    return { rows: rows as R[], numAffectedRows: command === 'SELECT' ? undefined : BigInt(rowCount) }
  }

  /**
   * Queues statements that the server runs one after another, in one message with the others of this turn of the event
   * loop. @returns the result of the last
   */
  async ask(before: readonly Statement[], last: Statement): Promise<BatchResult> {
    if (this.#isOver) throw new Error('The request of this database handle has ended')
    if (this.#next.length === 0) process.nextTick(() => this.#send())
    return this.#answer(before, last)
  }

  /** Defers a statement to the message that ends the transaction. */
  keep(statement: Statement): void {
    if (this.#isOver) throw new Error('The request of this database handle has ended')
    this.#kept.push(statement)
  }

  /** Ends the transaction, if there is one, and releases the connection; after a failed rollback it is discarded. */
  async end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    this.#isOver = true
    this.#send()
    try {
      if (how === 'ROLLBACK') await (this.#block === 'open' ? this.#client.query(how) : undefined)
      // The server skips statements after a failure in one message, so a failed deferred statement prevents the commit.
      else if (this.#block === 'open' || this.#kept.length > 0) {
        const committed = this.#answer(this.#kept, commit)
        this.#send()
        await committed
      }
      this.#client.release()
    } catch (error) {
      this.#client.release(error instanceof Error ? error : true)
      throw error
    }
  }

  async #answer(before: readonly Statement[], last: Statement): Promise<BatchResult> {
    try {
      return await new Promise<BatchResult>((resolve, reject) => {
        this.#next.push(...before.map((statement) => ({ statement })), { statement: last, wanted: { resolve, reject } })
      })
    } catch (error) {
      // From here on, the stack trace contains the caller instead of the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  #opening(): readonly Asked[] {
    if (this.#block === 'open') return []
    if (this.#block === 'none') return this.#reach
    this.#block = 'open'
    return [{ statement: begin }, ...this.#reach]
  }

  /** Sends the statements that were queued since the last message. */
  #send(): void {
    if (this.#next.length === 0) return
    const asked = [...this.#opening(), ...this.#next.splice(0)]
    try {
      this.#client.query(new Batch(this.#client, asked))
    } catch (error) {
      for (const { wanted } of asked) wanted?.reject(error)
    }
  }

  streamQuery(): never {
    throw new Error('A request cannot stream rows')
  }
  async acquireConnection() {
    return this
  }
  async init() {}
  async beginTransaction() {}
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}

const sessions = new WeakMap<Db, Session>()

function handleOf(session: Session): Db {
  const db: Db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => session,
      createIntrospector: (made) => new PostgresIntrospector(made),
      createQueryCompiler: () => compiler,
    },
    plugins,
  })
  sessions.set(db, session)
  return db
}

function sessionOf(db: Db): Session {
  const session = sessions.get(db)
  if (session === undefined) throw new TypeError('The database handle does not belong to a request')
  return session
}

/** A handle for the transaction that is open on this connection. */
export const handleOn = (client: pg.PoolClient): Db => handleOf(new Session(client, 'read', []))

/** Runs two statements in order; the second sees the rows that the first waited for. @returns the rows of the second */
export async function consecutively<Row>(db: Db, first: RawBuilder<unknown>, second: RawBuilder<Row>): Promise<Row[]> {
  const { rows } = await sessionOf(db).ask([statementOf(first.compile(db))], statementOf(second.compile(db)))
  return rows as Row[]
}

/** Defers a statement to the message that commits the transaction. If it fails, nothing is committed. */
export function withCommit(db: Db, query: Compilable): void {
  sessionOf(db).keep(statementOf(query.compile()))
}

const reachStatement = `SELECT set_config('muster.scope', $1, true), set_config('muster.partner', $2, true), set_config('muster.org', $3, true),
  set_config('muster.orgs', $4, true), set_config('muster.user', $5, true), set_config('muster.home_partner', $6, true)`
const setReach = {
  write: reachStatement,
  read: `${reachStatement}, set_config('transaction_read_only', 'on', true)`,
} as const

/** The settings that the policies compare with: exactly one of system, partner, org and orgs is set. */
function reachSettings(caller: Caller): string[] {
  const whole = caller.scope === 'partner' && caller.orgAccess === 'all'
  const orgs = caller.scope === 'partner' && !whole ? `{${(caller.accessibleOrgIds ?? []).join(',')}}` : ''
  return [
    caller.scope === 'system' ? 'system' : '',
    whole ? (caller.partnerId ?? '') : '',
    caller.scope === 'organization' ? (caller.orgId ?? '') : '',
    orgs,
    caller.userId,
    caller.partnerId ?? '',
  ]
}

async function inSession<T>(
  pool: pg.Pool,
  mode: 'read' | 'write',
  reach: readonly Statement[],
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const session = new Session(await pool.connect(), mode, reach)
  let result: T
  try {
    result = await work(handleOf(session))
  } catch (error) {
    await session.end('ROLLBACK').catch(() => undefined)
    throw error
  }
  await session.end('COMMIT')
  return result
}

/** Runs work as the caller: row-level security limits it to the rows that the caller may see. */
export const asCaller = <T>(
  pool: pg.Pool,
  caller: Caller,
  mode: 'read' | 'write',
  work: (db: Db) => Promise<T>,
): Promise<T> =>
  inSession(pool, mode, [{ name: `reach-${mode}`, text: setReach[mode], values: reachSettings(caller) }], work)

/** Runs work on the system pool, beyond tenants: credential look-ups, public operations, jobs. */
export const asSystem = <T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> =>
  inSession(pool, 'write', [], work)

/**
 * Plans the statements that follow in the transaction for the sizes that tables have now. A plan that was kept from a time
 * when a table was empty scans it once per row.
 */
export const planAnew = async (db: Db): Promise<void> =>
  void (await sql`SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(db))

const readOnly: Statement = plain(`SELECT set_config('transaction_read_only', 'on', true)`)

/** The same for work that only reads. It needs no round trip to end. */
export const readAsSystem = <T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> =>
  inSession(pool, 'read', [readOnly], work)
