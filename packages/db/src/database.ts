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
  type UnknownRow,
} from 'kysely'
import type pg from 'pg'
import { Batch, type BatchResult, type Statement } from './batch.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

const statementNamesMax = 1_000
const statementNames = new Map<string, string>()

/** Statements of the same text share a prepared plan per connection; beyond the cap they go unnamed. */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  if (statementNames.size >= statementNamesMax) return undefined
  const name = createHash('sha1').update(text).digest('base64url')
  statementNames.set(text, name)
  return name
}

/** Rows come from the driver with their names made already; going over each again would cost as much as reading them. */
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
 * What a request asks on its one connection. Of a transaction the first statement brings the opening along; of a read each
 * statement brings the reach along and is a transaction of its own: at the level of isolation that we use, one around all of
 * them would show them the same.
 */
class Session implements Driver, DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #reach: readonly Statement[]
  /** In a transaction block, or about to open one with the next statement. */
  #block: 'none' | 'due' | 'open'
  #isOver = false
  readonly #kept: Statement[] = []

  constructor(client: pg.PoolClient, mode: 'read' | 'write', reach: readonly Statement[]) {
    this.#client = client
    this.#reach = reach
    this.#block = mode === 'write' ? 'due' : 'none'
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, command, rowCount } = await this.ask([], statementOf(query))
    return { rows: rows as R[], numAffectedRows: command === 'SELECT' ? undefined : BigInt(rowCount) }
  }

  /** Statements in one message, which the server takes one after the other. @returns the answer to the last */
  async ask(before: readonly Statement[], last: Statement): Promise<BatchResult> {
    if (this.#isOver) throw new Error('the request that this database handle belongs to is over')
    return this.#submit([...this.#opening(), ...before], last)
  }

  /** Keeps a statement for the message that ends the transaction. */
  keep(statement: Statement): void {
    if (this.#isOver) throw new Error('the request that this database handle belongs to is over')
    this.#kept.push(statement)
  }

  /** Ends the transaction, if there is one, and gives the connection back; one that could not even roll back is thrown away. */
  async end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    this.#isOver = true
    try {
      if (how === 'ROLLBACK') await (this.#block === 'open' ? this.#client.query(how) : undefined)
      // Of a message the server leaves out what follows a failure: what was kept is committed with the rest, or nothing is.
      else if (this.#block === 'open' || this.#kept.length > 0)
        await this.#submit([...this.#opening(), ...this.#kept], commit)
      this.#client.release()
    } catch (error) {
      this.#client.release(error instanceof Error ? error : true)
      throw error
    }
  }

  #opening(): readonly Statement[] {
    if (this.#block === 'open') return []
    if (this.#block === 'none') return this.#reach
    this.#block = 'open'
    return [begin, ...this.#reach]
  }

  async #submit(before: readonly Statement[], last: Statement): Promise<BatchResult> {
    const batch = new Batch(this.#client, before, last)
    this.#client.query(batch)
    try {
      return await batch.answered
    } catch (error) {
      // From here the stack leads to whoever asked, instead of to the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  streamQuery(): never {
    throw new Error('a request reads its rows at once')
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
  if (session === undefined) throw new TypeError('The database handle is none of a request')
  return session
}

/** Two statements in one message, the second of which sees what the first waited for. @returns the rows of the second */
export async function inOrder<Row>(db: Db, first: RawBuilder<unknown>, second: RawBuilder<Row>): Promise<Row[]> {
  const { rows } = await sessionOf(db).ask([statementOf(first.compile(db))], statementOf(second.compile(db)))
  return rows as Row[]
}

/** Leaves a statement to the message that commits the transaction. Should it fail, nothing is committed. */
export function withCommit(db: Db, query: Compilable): void {
  sessionOf(db).keep(statementOf(query.compile()))
}

const reachStatement = `SELECT set_config('muster.scope', $1, true), set_config('muster.partner', $2, true), set_config('muster.org', $3, true),
  set_config('muster.orgs', $4, true), set_config('muster.user', $5, true), set_config('muster.home_partner', $6, true)`
const setReach = {
  write: reachStatement,
  read: `${reachStatement}, set_config('transaction_read_only', 'on', true)`,
} as const

/** What the policies compare with: exactly one of system, partner, org and orgs is set. */
function reachOf(caller: Caller): string[] {
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

async function within<T>(
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

/** Runs work as the caller: row-level security shows it what the caller may see and nothing else. */
export const asCaller = <T>(
  pool: pg.Pool,
  caller: Caller,
  mode: 'read' | 'write',
  work: (db: Db) => Promise<T>,
): Promise<T> => within(pool, mode, [{ name: `reach-${mode}`, text: setReach[mode], values: reachOf(caller) }], work)

/** Runs work on the system pool, beyond tenants: credential look-ups, public operations, jobs. */
export const asSystem = <T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> => within(pool, 'write', [], work)

const readOnly: Statement = plain(`SELECT set_config('transaction_read_only', 'on', true)`)

/** The same for work that only reads: it costs as many ways to the server as it waits for answers, and none to end. */
export const readAsSystem = <T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> =>
  within(pool, 'read', [readOnly], work)
