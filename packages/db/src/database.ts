// A request's database handle: one transaction on one connection, with the caller's reach set inside it.
// BEGIN, the reach and the handler's first statement leave in one burst; the connection is in pipeline mode.
import { createHash } from 'node:crypto'
import type { Caller } from '@muster/kit/access.ts'
import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
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

/** Runs what the query builder compiled on the one connection of a request; it opens and closes nothing. */
class RequestDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(client: pg.PoolClient) {
    this.#connection = {
      async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, rowCount, command } = await client.query({
          name: statementName(text),
          text,
          values: [...parameters],
        })
        return { rows, numAffectedRows: command === 'SELECT' ? undefined : BigInt(rowCount ?? 0) }
      },
      streamQuery() {
        throw new Error('a request reads its rows at once')
      },
    }
  }
  async acquireConnection() {
    return this.#connection
  }
  async init() {}
  async beginTransaction() {}
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}

const handles = new WeakMap<pg.PoolClient, Db>()

/** The query builder over one connection; made once per connection. */
function handleOf(client: pg.PoolClient): Db {
  const known = handles.get(client)
  if (known !== undefined) return known
  const made = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new RequestDriver(client),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  handles.set(client, made)
  return made
}

const setReach = `SELECT set_config('muster.scope', $1, true), set_config('muster.partner', $2, true), set_config('muster.org', $3, true),
  set_config('muster.orgs', $4, true), set_config('muster.user', $5, true), set_config('muster.home_partner', $6, true)`

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

/** Ends a transaction and gives the connection back; one that could not even roll back is thrown away. */
async function close(client: pg.PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  try {
    await client.query(how)
    client.release()
  } catch (error) {
    client.release(error instanceof Error ? error : true)
    throw error
  }
}

async function transaction<T>(
  pool: pg.Pool,
  mode: 'read' | 'write',
  reach: string[] | null,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const opening = Promise.all([
    client.query(mode === 'read' ? 'BEGIN READ ONLY' : 'BEGIN'),
    ...(reach === null ? [] : [client.query({ name: 'reach', text: setReach, values: reach })]),
  ])
  opening.catch(() => undefined)
  let result: T
  try {
    result = await work(handleOf(client))
    await opening
  } catch (error) {
    await opening.catch(() => undefined)
    await close(client, 'ROLLBACK').catch(() => undefined)
    throw error
  }
  const closed = close(client, 'COMMIT')
  // What was read is known already; only a change has to wait until it is certain.
  if (mode === 'read') closed.catch(() => undefined)
  else await closed
  return result
}

/** Runs work as the caller: row-level security shows it what the caller may see and nothing else. */
export const asCaller = <T>(
  pool: pg.Pool,
  caller: Caller,
  mode: 'read' | 'write',
  work: (db: Db) => Promise<T>,
): Promise<T> => transaction(pool, mode, reachOf(caller), work)

/** Runs work on the system pool, beyond tenants: credential look-ups, public operations, jobs. */
export const asSystem = <T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> =>
  transaction(pool, 'write', null, work)
