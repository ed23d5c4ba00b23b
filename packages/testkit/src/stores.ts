import { randomBytes } from 'node:crypto'
import type { RedisProcess } from '@muster/backplane/redis-logins.ts'
import type { Stores } from '@muster/stack/stores.ts'
import pg from 'pg'
import { inject } from 'vitest'

/** Logins of one database. */
export interface TestDatabase {
  /** Login that owns the tables. */
  readonly ownerUrl: string
  /** Login of muster_app. */
  readonly appUrl: string
  /** Login of muster_system. */
  readonly systemUrl: string
}

/** Where the run's own stores listen; the global set-up starts them once and provides this. */
export interface TestStores extends TestDatabase {
  /** The operator's login. */
  readonly redisUrl: string
  /** The login of each process. */
  readonly redisOf: Stores['urls']['redisOf']
}

declare module 'vitest' {
  interface ProvidedContext {
    stores: TestStores
  }
}

/** The run's migrated Postgres, shared by all tests: each makes its own partner in it and nobody wipes a table. */
export const testDatabase = (): TestDatabase => inject('stores')

/** The run's Redis, shared by all tests. */
export const testRedis = (): string => inject('stores').redisUrl

/** The same, with what one process may do in it. */
export const testRedisOf = (process: RedisProcess): string => inject('stores').redisOf[process]

/** A database of the test's own, without tables, for what concerns the schema as a whole. */
export async function emptyDatabase(): Promise<TestDatabase & { drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const shared = testDatabase()
  await asOwner(shared.ownerUrl, `CREATE DATABASE ${name}`)
  const at = (url: string) => {
    const own = new URL(url)
    own.pathname = `/${name}`
    return own.href
  }
  return {
    ownerUrl: at(shared.ownerUrl),
    appUrl: at(shared.appUrl),
    systemUrl: at(shared.systemUrl),
    drop: () => asOwner(shared.ownerUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function asOwner(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
