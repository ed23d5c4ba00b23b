import { randomBytes } from 'node:crypto'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
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
  /** The database that `ownDatabase` copies. */
  readonly template: string
}

declare module 'vitest' {
  interface ProvidedContext {
    stores: TestStores
  }
}

/** The migrated PostgreSQL of the run, shared by all tests. Each test creates its own partner, and no test empties a table. */
export const testDatabase = (): TestDatabase => inject('stores')

/** The run's Redis, shared by all tests. */
export const testRedis = (): string => inject('stores').redisUrl

/** The same, with the login of one process. */
export const testRedisOf = (process: RedisProcess): string => inject('stores').redisOf[process]

/** A database that one test file has to itself. */
export type OwnDatabase = TestDatabase & { drop(): Promise<void> }

/** A separate migrated database, for tests of a whole installation. */
export const ownDatabase = (): Promise<OwnDatabase> => createDatabase(inject('stores').template)

/** A database without tables, for tests of migration itself. */
export const emptyDatabase = (): Promise<OwnDatabase> => createDatabase('template1')

async function createDatabase(template: string): Promise<OwnDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const shared = testDatabase()
  await asOwner(shared.ownerUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    ownerUrl: withPath(shared.ownerUrl, name),
    appUrl: withPath(shared.appUrl, name),
    systemUrl: withPath(shared.systemUrl, name),
    drop: () => dropDatabase(shared.ownerUrl, name),
  }
}

/** Waits some seconds for closing connections, and then terminates those still open. */
async function dropDatabase(ownerUrl: string, name: string): Promise<void> {
  await asOwner(ownerUrl, `DROP DATABASE ${name}`).catch((error: unknown) => {
    const isInUse = error instanceof pg.DatabaseError && error.code === '55006'
    if (!isInUse) throw error
    return asOwner(ownerUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  })
}

function withPath(url: string, path: string): string {
  const other = new URL(url)
  other.pathname = `/${path}`
  return other.href
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

/** A numbered database of the run's Redis that one test file has to itself. */
export interface OwnRedisDatabase {
  readonly url: string
  release(): Promise<void>
}

/** The default number of Redis databases, without the shared one. */
const redisDatabases = 15
const leaseOf = (number: number) => `test:redis-database:${number}`

/** Takes a Redis database that no other test uses and empties it. */
export async function ownRedisDatabase(): Promise<OwnRedisDatabase> {
  const shared = testRedis()
  const number = await withRedis(shared, async (redis) => {
    for (let candidate = 1; candidate <= redisDatabases; candidate++)
      if ((await redis.set(leaseOf(candidate), 'taken', 'NX')) !== null) return candidate
    throw new Error(`All ${redisDatabases} Redis databases are in use. A test did not release its own.`)
  })
  const url = withPath(shared, String(number))
  await withRedis(url, (redis) => redis.flushdb())
  return { url, release: () => withRedis(shared, async (redis) => void (await redis.del(leaseOf(number)))) }
}

async function withRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = connectRedis(url, 'test-databases')
  try {
    await untilReady(redis, 10_000)
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
