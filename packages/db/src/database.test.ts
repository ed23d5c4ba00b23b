import { randomUUID } from 'node:crypto'
import type { Caller } from '@muster/kit/access.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testDatabase } from '@muster/testkit/stores.ts'
import { world } from '@muster/testkit/world.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { asCaller, asSystem, consecutively, type Db, readAsSystem, withCommit } from './database.ts'
import { createPool } from './pool.ts'
import { refusePowerfulLogin } from './roles.ts'

const partnerCaller = (partnerId: string): Caller => ({
  kind: 'user',
  kindName: 'Sessions',
  userId: randomUUID(),
  email: '',
  sessionId: null,
  apiKeyId: null,
  scope: 'partner',
  partnerId,
  orgId: null,
  orgAccess: 'all',
  accessibleOrgIds: null,
  siteIds: null,
  deviceGroupIds: null,
  roleId: null,
  permissions: new Set(),
  mfa: true,
  emailVerified: true,
  mfaOwed: null,
  partnerActive: true,
})
const partnersSeen = async (db: Db) =>
  (await db.selectFrom('sites').select('partnerId').distinct().execute()).map((row) => row.partnerId)

describe('the transaction of a request', async () => {
  const { people } = await testServices()
  const one = await world()
  const two = await world()

  it('sees only the rows of the caller, although the query selects all', async () => {
    expect(await asCaller(people, partnerCaller(one.partner.id), 'read', partnersSeen)).toEqual([one.partner.id])
    expect(
      await asCaller(
        people,
        { ...partnerCaller(one.partner.id), orgAccess: 'none', accessibleOrgIds: [] },
        'read',
        partnersSeen,
      ),
    ).toEqual([])
    const selected = {
      ...partnerCaller(one.partner.id),
      orgAccess: 'selected',
      accessibleOrgIds: [one.otherOrg.id],
    } as const
    expect(await asCaller(people, selected, 'read', partnersSeen)).toEqual([])
  })

  it('cannot write into another tenant, even with both ids given', async () => {
    const spy = asCaller(people, partnerCaller(one.partner.id), 'write', (db) =>
      db.insertInto('sites').values({ orgId: two.org.id, partnerId: two.partner.id, name: 'Spy' }).execute(),
    )
    await expect(spy).rejects.toThrow('row-level security')
    const mixed = asCaller(people, partnerCaller(one.partner.id), 'write', (db) =>
      db.insertInto('sites').values({ orgId: two.org.id, partnerId: one.partner.id, name: 'Spy' }).execute(),
    )
    await expect(mixed).rejects.toThrow('foreign key')
  })

  it('a read cannot write', async () => {
    const write = asCaller(people, partnerCaller(one.partner.id), 'read', (db) =>
      db.updateTable('sites').set({ name: 'x' }).execute(),
    )
    await expect(write).rejects.toThrow('read-only')
  })

  it('commits deferred statements together with the rest, or nothing if they fail', async () => {
    const { system } = await testServices()
    const name = async (value: string, last: (db: Db) => void) =>
      asSystem(system, async (db) => {
        await db.updateTable('sites').set({ name: value }).where('id', '=', one.site.id).execute()
        last(db)
      })
    const named = async () => (await system.query('SELECT name, timezone FROM sites WHERE id = $1', [one.site.id])).rows
    const zone = (db: Db, value: string) =>
      withCommit(db, db.updateTable('sites').set({ timezone: value }).where('id', '=', one.site.id))
    await name('First', (db) => zone(db, 'Asia/Tokyo'))
    expect(await named()).toEqual([{ name: 'First', timezone: 'Asia/Tokyo' }])
    const failing = name('Second', (db) => {
      zone(db, 'Europe/Berlin')
      zone(db, 'x'.repeat(51))
    })
    await expect(failing).rejects.toThrow('value too long')
    expect(await named()).toEqual([{ name: 'First', timezone: 'Asia/Tokyo' }])
    await asSystem(system, async (db) => zone(db, 'UTC'))
    expect(await named()).toEqual([{ name: 'First', timezone: 'UTC' }])
  })

  it('lets the second of two statements in one message see the rows that the first waited for', async () => {
    const { system } = await testServices()
    const turn = sql`SELECT pg_advisory_xact_lock(hashtextextended(${one.site.id}, 0))`
    const slug = sql<{ name: string }>`SELECT name FROM sites WHERE id = ${one.site.id}`
    const waiting = asSystem(system, async (before) => {
      await turn.execute(before)
      const seen = asSystem(system, (db) => consecutively(db, turn, slug))
      await before.updateTable('sites').set({ name: 'Changed' }).where('id', '=', one.site.id).execute()
      const blocked = `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
      while ((await system.query(blocked)).rows[0].count === 0);
      return { seen }
    })
    expect(await (await waiting).seen).toEqual([{ name: 'Changed' }])
  })

  it('answers each concurrent query, and commits none of them after a failure', async () => {
    const { system } = await testServices()
    const number = (value: number) => (db: Db) => sql<{ value: number }>`SELECT ${value}::int AS value`.execute(db)
    const nonsense = (db: Db) => sql`SELECT nonsense`.execute(db)
    const many = await readAsSystem(system, (db) => Promise.all([1, 2, 3].map((value) => number(value)(db))))
    expect(many.map(({ rows }) => rows)).toEqual([[{ value: 1 }], [{ value: 2 }], [{ value: 3 }]])
    const told = await readAsSystem(system, async (db) => {
      const outcomes = await Promise.allSettled([number(1)(db), nonsense(db), number(3)(db)])
      const { rows } = await number(4)(db)
      return [...outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason)), rows]
    })
    const failure = expect.stringContaining('nonsense')
    expect(told).toEqual([false, failure, failure, [{ value: 4 }]])
    const named = (name: string) => (db: Db) =>
      db.updateTable('sites').set({ name }).where('id', '=', one.site.id).execute()
    const failing = asSystem(system, (db) => Promise.allSettled([named('Never')(db), nonsense(db)]))
    await failing.catch(() => undefined)
    const { rows } = await system.query('SELECT name FROM sites WHERE id = $1', [one.site.id])
    expect(rows).not.toEqual([{ name: 'Never' }])
  })

  it('of the system that only reads cannot write', async () => {
    const { system } = await testServices()
    const write = readAsSystem(system, (db) => db.updateTable('sites').set({ name: 'x' }).execute())
    await expect(write).rejects.toThrow('read-only')
  })

  it('D3: on a small pool the reach of tenants never mixes, also after failures and lost connections', async () => {
    const pool = createPool({ url: testDatabase().appUrl, name: 'mixed', max: 3 })
    const { system } = await testServices()
    let wrong = 0
    const attempt = async (index: number) => {
      const { partner } = index % 2 === 0 ? one : two
      await asCaller(pool, partnerCaller(partner.id), 'read', async (db) => {
        const seen = await partnersSeen(db)
        if (seen.length !== 1 || seen[0] !== partner.id) wrong += 1
        if (index % 7 === 0) throw new Error('the handler failed')
        if (index % 11 === 0) await sql`SELECT nonsense`.execute(db)
        if (index % 97 === 0)
          await system.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mixed' LIMIT 1`,
          )
      }).catch(() => undefined)
    }
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 100 }, (_, index) => attempt(round * 100 + index)))
    expect(wrong).toBe(0)
    const client = await pool.connect()
    const { rows } = await client.query(
      `SELECT current_setting('muster.partner', true) AS partner, current_setting('muster.scope', true) AS scope`,
    )
    expect([null, '']).toContain(rows[0]?.partner)
    expect([null, '']).toContain(rows[0]?.scope)
    client.release()
    await pool.end()
  })

  it('a login that bypasses row-level security is rejected at the start', async () => {
    const { ownerUrl, appUrl } = testDatabase()
    const owner = createPool({ url: ownerUrl, name: 'owner', max: 1 })
    await expect(refusePowerfulLogin(owner)).rejects.toThrow(/is a superuser|owns the tables/)
    await owner.end()
    const app = createPool({ url: appUrl, name: 'app', max: 1 })
    await expect(refusePowerfulLogin(app)).resolves.toBeUndefined()
    await app.end()
  })
})
