import { createPool } from '@muster/db/pool.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import { beginFollower, followUp, testWorkerParts } from '@muster/testkit/worker-parts.ts'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Follower, follower } from '../../background/follower.ts'
import { eventTypes } from '../../events.contract.ts'
import { adoptRestored, dueFollowers } from './cursors.ts'
import { eventType, type StoredEvent } from './event-type.contract.ts'
import { followOnce } from './follow.ts'
import { emit, emitAll, eventOf } from './index.ts'
import { dropOldEvents, ensureEventPartitions } from './retention.jobs.ts'

const database = await ownDatabase()
const pool = createPool({ url: database.systemUrl, name: 'events-test', max: 6 })
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 })
const parts = await testWorkerParts(pool)
afterAll(async () => {
  await Promise.all([pool.end(), owner.end()])
  await database.drop()
})

const counted = eventType('test.counted', 'organization', { number: z.number() })
const other = eventType('test.other', 'partner', {})
const [partnerId, orgId] = [crypto.randomUUID(), crypto.randomUUID()]
const at = (number: number) => eventOf(counted, { partnerId, orgId, data: { number } })
const numbersOf = (events: readonly StoredEvent[]) => events.map(({ data }) => data.number)

/** A follower that notes the numbers of events in a table, within its transaction. */
const noting = (more: Partial<Follower> = {}): Follower =>
  follower({
    name: 'noting',
    types: [counted],
    batchMax: 100,
    async handle(client, events) {
      await client.query('INSERT INTO noted SELECT unnest($1::int[])', [numbersOf(events)])
      return {}
    },
    ...more,
  })
const noted = async () =>
  (await owner.query<{ number: number }>('SELECT number FROM noted ORDER BY place')).rows.map(({ number }) => number)

beforeEach(async () => {
  await owner.query(
    `CREATE TABLE noted (number integer, place serial); GRANT ALL ON noted, noted_place_seq TO muster_system`,
  )
  await beginFollower(parts, noting())
})
afterEach(async () => {
  await owner.query('DROP TABLE noted; DELETE FROM events; DELETE FROM event_cursors; DELETE FROM event_failures')
})

/** A transaction that a test ends itself. */
async function open() {
  const client = await pool.connect()
  await client.query('BEGIN')
  return {
    client,
    async commit() {
      await client.query('COMMIT')
      client.release()
    },
  }
}

describe('a follower', () => {
  it('receives each event once, in the order of the commits, although a long transaction commits last', async () => {
    const slow = await open()
    await emitAll(slow.client, [at(1)])
    await inTransaction(pool, (client) => emitAll(client, [at(2), at(3)]))
    await followOnce(noting(), parts)
    expect(await noted()).toEqual([])
    await slow.commit()
    await inTransaction(pool, (client) => emit(client, counted, { partnerId, orgId, data: { number: 4 } }))
    await followUp(parts, noting())
    await followUp(parts, noting())
    expect(await noted()).toEqual([1, 2, 3, 4])
  })

  it('receives all of thousands of events from transactions that overlap', async () => {
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let turn = 0; turn < 50; turn++)
        await inTransaction(pool, async (client) => {
          await emitAll(client, [at(writer * 1_000 + turn * 10)])
          if (turn % 3 === writer % 3) for (let more = 0; more < 5; more++) await client.query('SELECT')
          await emitAll(client, [at(writer * 1_000 + turn * 10 + 1), at(writer * 1_000 + turn * 10 + 2)])
        })
    })
    const done = Promise.all(writers)
    const isOver = done.then(() => true)
    const { name } = noting()
    while (!(await Promise.race([isOver, followOnce(noting({ batchMax: 7 }), parts).then(() => false)])));
    await followUp(parts, noting())
    const all = await noted()
    expect(all).toHaveLength(600)
    expect(new Set(all).size).toBe(600)
    for (let writer = 0; writer < 4; writer++) {
      const own = all.filter((number) => Math.floor(number / 1_000) === writer)
      expect(own).toEqual([...own].sort((a, b) => a - b))
    }
    expect((await dueFollowers(pool, [name])).due).toEqual([])
  })

  it('receives only its types, from the moment of its first start', async () => {
    await inTransaction(pool, (client) => emitAll(client, [at(1), eventOf(other, { partnerId, data: {} })]))
    await beginFollower(parts, noting({ name: 'late' }))
    await inTransaction(pool, (client) => emitAll(client, [eventOf(other, { partnerId, data: {} }), at(2)]))
    const received: StoredEvent[] = []
    const late = noting({
      name: 'late',
      types: 'all',
      async handle(_, events) {
        received.push(...events)
        return {}
      },
    })
    await followUp(parts, late)
    await followUp(parts, noting())
    expect(received.map(({ type, orgId: org }) => [type, org])).toEqual([
      ['test.other', null],
      ['test.counted', orgId],
    ])
    expect(await noted()).toEqual([1, 2])
  })

  it('receives no event of a commit before its first start, although an older transaction still runs', async () => {
    const slow = await open()
    await emitAll(slow.client, [at(3)])
    await inTransaction(pool, (client) => emitAll(client, [at(1)]))
    const received: number[] = []
    const late = noting({
      name: 'late',
      async handle(_, events) {
        received.push(...events.map(({ data }) => Number(data.number)))
        return {}
      },
    })
    await beginFollower(parts, late)
    await inTransaction(pool, (client) => emitAll(client, [at(2)]))
    await slow.commit()
    await followUp(parts, late)
    expect(received).toEqual([3, 2])
    expect((await dueFollowers(pool, ['late'])).due).toEqual([])
  })

  it('handles events again if its worker died in the middle, and their effect remains one', async () => {
    await inTransaction(pool, (client) => emitAll(client, [at(1), at(2)]))
    const dying = noting({
      async handle(client, events) {
        await client.query('INSERT INTO noted SELECT unnest($1::int[])', [numbersOf(events)])
        await owner.query('SELECT pg_terminate_backend($1)', [
          (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid,
        ])
        await client.query('SELECT 1')
        return {}
      },
    })
    expect(await followOnce(dying, parts)).toBe(false)
    expect(await noted()).toEqual([])
    await followUp(parts, noting())
    expect(await noted()).toEqual([1, 2])
  })

  it('is served by one worker at a time', async () => {
    await inTransaction(pool, (client) => emitAll(client, [at(1)]))
    const started = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const slow = noting({
      async handle(client, events, its) {
        started.resolve()
        await goOn.promise
        return noting().handle(client, events, its)
      },
    })
    // A transaction of another test may hold the event back for a moment.
    let isStarted = false
    void started.promise.then(() => {
      isStarted = true
    })
    const first = (async () => {
      while (!isStarted) await followOnce(slow, parts)
    })()
    await started.promise
    await followOnce(noting(), parts)
    goOn.resolve()
    await first
    await followUp(parts, noting())
    expect(await noted()).toEqual([1])
  })

  it('leaves out an event that fails repeatedly, records it and continues with the others', async () => {
    await inTransaction(pool, (client) => emitAll(client, [1, 2, 13, 4, 5].map(at)))
    const picky = noting({
      async handle(client, events, its) {
        if (numbersOf(events).includes(13)) throw new Error('cannot count to 13')
        return noting().handle(client, events, its)
      },
    })
    await followUp(parts, picky)
    expect(await noted()).toEqual([1, 2, 4, 5])
    const { rows } = await owner.query('SELECT follower, type, partner_id, org_id, error FROM event_failures')
    expect(rows).toEqual([
      { follower: 'noting', type: 'test.counted', partner_id: partnerId, org_id: orgId, error: 'cannot count to 13' },
    ])
    expect(parts.counted.get('event_failures_total')).toBe(1)
  })

  it('keeps an event while a store is unavailable, however often it fails', async () => {
    await inTransaction(pool, (client) => emitAll(client, [at(1)]))
    let tries = 0
    const waiting = noting({
      async handle(client, events, its) {
        if (++tries <= 12) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
        return noting().handle(client, events, its)
      },
    })
    await followUp(parts, waiting)
    expect([tries, await noted()]).toEqual([13, [1]])
  })
})

it('the types of events have unique names with a dot', () => {
  const names = eventTypes.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/)
})

describe('a restored database', () => {
  it('continues where it was, although the new cluster counts transactions from a lower or higher number', async () => {
    for (const elsewhere of ['4000000000', '5']) {
      await owner.query('TRUNCATE noted, events, event_cursors')
      for (const name of ['noting', 'behind']) await beginFollower(parts, noting({ name }))
      await inTransaction(pool, (client) => emitAll(client, [at(1), at(2)]))
      await followUp(parts, noting())
      await inTransaction(pool, (client) => emitAll(client, [at(3)]))
      // As in a dump of another cluster: its identifier, and transaction ids of its own.
      await owner.query(
        `UPDATE events SET tx = (tx::text::bigint + $1)::text::xid8; UPDATE event_cursors SET cluster = 'another', tx = (tx::text::bigint + $1)::text::xid8`.replaceAll(
          '$1',
          elsewhere === '5' ? '(-tx::text::bigint + 5)' : elsewhere,
        ),
      )
      await inTransaction(pool, (client) => emitAll(client, [at(4)]))
      expect((await dueFollowers(pool, ['noting'])).isRestored).toBe(true)
      await adoptRestored(pool)
      await inTransaction(pool, (client) => emitAll(client, [at(5)]))
      await followUp(parts, noting())
      expect(await noted()).toEqual([1, 2, 3, 4, 5])
      const seen: unknown[] = []
      const behind = noting({
        name: 'behind',
        async handle(_, events) {
          seen.push(...numbersOf(events))
          return {}
        },
      })
      await followUp(parts, behind)
      expect(seen).toEqual([1, 2, 3, 4, 5])
    }
  })
})

describe('stored events', () => {
  it('are kept for 30 days', async () => {
    const dayMs = 86_400_000
    const name = (daysAgo: number) =>
      `events_${new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`
    await owner.query(
      `INSERT INTO events (type, partner_id, stored_at) SELECT 'test.old', $1, now() - n * interval '1 day' FROM unnest('{29,31,33}'::int[]) n`,
      [partnerId],
    )
    expect(await ensureEventPartitions(pool)).toBeGreaterThan(30)
    expect(await dropOldEvents(pool, Date.now())).toEqual(expect.arrayContaining([name(33), name(31)]))
    const { rows } = await owner.query('SELECT tableoid::regclass::text AS name FROM events')
    expect(rows).toEqual([{ name: name(29) }])
    expect(await ensureEventPartitions(pool)).toBe(0)
  })

  it('can be stored and read by their tenant alone, and changed by no request', async () => {
    const people = new pg.Pool({ connectionString: database.appUrl, max: 1 })
    const app = await people.connect()
    const as = async <T>(org: string, work: () => Promise<T>): Promise<T> => {
      await app.query('BEGIN')
      await app.query(`SELECT set_config('muster.org', $1, true)`, [org])
      try {
        return await work()
      } finally {
        await app.query('ROLLBACK')
      }
    }
    await inTransaction(pool, (client) => emitAll(client, [at(1)]))
    const count = async () => (await app.query('SELECT FROM events')).rowCount
    expect(await as(orgId, count)).toBe(1)
    expect(await as(crypto.randomUUID(), count)).toBe(0)
    await as(orgId, () => emitAll(app, [at(2)]))
    await expect(as(crypto.randomUUID(), () => emitAll(app, [at(3)]))).rejects.toThrow('row-level security')
    await expect(as(orgId, () => app.query('DELETE FROM events'))).rejects.toThrow('permission denied')
    await expect(as(orgId, () => app.query('SELECT FROM event_cursors'))).rejects.toThrow('permission denied')
    app.release()
    await people.end()
  })
})
