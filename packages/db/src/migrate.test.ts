import { emptyDatabase, type OwnDatabase } from '@muster/testkit/stores.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Migration, migrate, readMigrations, SchemaError, verifySchema } from './migrate.ts'

const step = (number: number, sql: string): Migration => ({
  name: `000${number}-step.sql`,
  checksum: `sum-of-${sql}`,
  sql,
})

describe('migrations', () => {
  let database: OwnDatabase
  beforeAll(async () => {
    database = await emptyDatabase()
  })
  afterAll(() => database.drop())

  it('two servers that start at the same time on an empty database apply each migration once', async () => {
    const migrations = await readMigrations()
    const applied = await Promise.all([
      migrate({ ownerUrl: database.ownerUrl }),
      migrate({ ownerUrl: database.ownerUrl }),
    ])
    expect(applied.map((names) => names.length).sort((a, b) => a - b)).toEqual([0, migrations.length])
    await verifySchema(database.ownerUrl)
  })

  it('a failing migration is rolled back, and the corrected one is applied by the next run', async () => {
    const own = await emptyDatabase()
    const first = step(1, 'CREATE TABLE one (id int)')
    const broken = step(2, 'CREATE TABLE two (id int); SELECT nonsense')
    await expect(migrate({ ownerUrl: own.ownerUrl, migrations: [first, broken] })).rejects.toThrow(
      '0002-step.sql failed',
    )
    const repaired = step(2, 'CREATE TABLE two (id int)')
    expect(await migrate({ ownerUrl: own.ownerUrl, migrations: [first, repaired] })).toEqual(['0002-step.sql'])
    await own.drop()
  })

  it('after a server is killed during a migration the next one applies the rest', async () => {
    const own = await emptyDatabase()
    const slow = [step(1, 'CREATE TABLE one (id int)'), step(2, 'CREATE TABLE two (id int); SELECT pg_sleep(60)')]
    const running = migrate({ ownerUrl: own.ownerUrl, migrations: slow })
    running.catch(() => undefined)
    const observer = new pg.Client({ connectionString: own.ownerUrl })
    await observer.connect()
    const sleeper = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`
    await expect.poll(async () => (await observer.query(sleeper)).rowCount, { timeout: 10_000 }).toBe(1)
    await observer.query(`SELECT pg_terminate_backend(pid) FROM (${sleeper}) AS killed`)
    await expect(running).rejects.toThrow(SchemaError)
    expect(
      await migrate({
        ownerUrl: own.ownerUrl,
        migrations: [slow[0] ?? step(1, ''), step(2, 'CREATE TABLE two (id int)')],
      }),
    ).toEqual(['0002-step.sql'])
    await observer.end()
    await own.drop()
  })

  it('an applied migration that was changed stops the start with an error that names it', async () => {
    const [first, ...rest] = await readMigrations()
    if (first === undefined) throw new Error('there are migrations')
    const altered = [{ ...first, checksum: 'another' }, ...rest]
    await expect(migrate({ ownerUrl: database.ownerUrl, migrations: altered })).rejects.toThrow(
      `The applied migration ${first.name} was changed`,
    )
  })

  it('an old schema is rejected with the command to run', async () => {
    const own = await emptyDatabase()
    await expect(verifySchema(own.ownerUrl)).rejects.toThrow(
      /lacks \d+ migration\(s\), the first is 0001-tenancy\.sql\. Run `npm run migrate`/,
    )
    await own.drop()
  })

  it('a database of a newer version is rejected', async () => {
    await expect(migrate({ ownerUrl: database.ownerUrl, migrations: [] })).rejects.toThrow('used by a newer version')
  })
})
