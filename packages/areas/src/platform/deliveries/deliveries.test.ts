import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { createPool } from '@muster/db/pool.ts'
import { OutgoingConnections } from '@muster/kit/network/outgoing.ts'
import { misbehavior, type Receiver, receiver, status } from '@muster/testkit/receiver.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type DeliveryKind, deliveryKind, type EndedDelivery, type FailedTry } from '../../background/delivery-kind.ts'
import { claimDue } from './claim.ts'
import { Deliverer } from './deliverer.ts'
import { expireDeliveries, forgetOldDeliveries } from './expiry.jobs.ts'
import { closeLane, dropLane, enqueue, healthOf, noteTry, reopenLane, repeatDeliveries, setLane } from './index.ts'

const database = await ownDatabase()
const pool = createPool({ url: database.systemUrl, name: 'deliveries-test', max: 4 })
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 })
const parts = await testWorkerParts(pool)
const connections = new OutgoingConnections(['127.0.0.0/8'])
afterAll(async () => {
  await connections.close()
  await Promise.all([pool.end(), owner.end()])
  await database.drop()
})

const newPartner = async (): Promise<string> => {
  const name = randomUUID()
  const { rows } = await owner.query<{ id: string }>(
    `INSERT INTO partners (name, slug, status) VALUES ($1, $1, 'active') RETURNING id`,
    [name],
  )
  return rows[0]?.id ?? ''
}
const partnerId = await newPartner()
const urls = new Map<string, string>()

/** Posts the payload to the address of the lane. */
function posting(more: Partial<DeliveryKind> = {}) {
  const ended: EndedDelivery[] = []
  const failed: FailedTry[] = []
  const kind = deliveryKind({
    name: 'test',
    waitsMs: [20, 20, 20],
    timeoutMs: 300,
    async send(_parts, { lane, key, payload, tries }) {
      const answer = await connections.request(lane, urls.get(lane) ?? '', {
        method: 'POST',
        headers: { 'x-key': key, 'x-try': String(tries) },
        body: JSON.stringify(payload),
        timeoutMs: 300,
        bytesMax: 1_000,
      })
      const body = answer.body.toString()
      if (answer.status < 300) return { delivered: true, status: answer.status, body }
      return {
        delivered: false,
        status: answer.status,
        error: `status ${answer.status}`,
        body,
        isFinal: answer.status === 410,
        retryAfterMs: Number(answer.headers['retry-after'] ?? 0) * 1_000,
      }
    },
    failed: async (_db, tries) => {
      failed.push(...tries)
      return {}
    },
    ended: async (_db, list) => {
      ended.push(...list)
      return {}
    },
    ...more,
  })
  return { kind, ended, failed }
}

async function working(kind: DeliveryKind = posting().kind, options: { leaseMs?: number } = {}) {
  const deliverer = new Deliverer(parts, [kind], { pollMs: 20, ...options })
  await deliverer.run()
  onTestFinished(() => deliverer.drain())
  return deliverer
}

interface LaneOptions {
  readonly partner?: string
  readonly concurrency?: number
  readonly spacingMs?: number
  readonly lastsMs?: number
}
async function laneTo(url: string, { partner = partnerId, concurrency = 2, ...more }: LaneOptions = {}) {
  const lane = `test:${randomUUID()}`
  urls.set(lane, url)
  await asSystem(pool, (db) =>
    setLane(db, { lane, kind: 'test', partnerId: partner, orgId: null, concurrency, ...more }),
  )
  onTestFinished(() => asSystem(pool, (db) => dropLane(db, lane)))
  return lane
}
const queue = (lane: string, ...keys: string[]) =>
  asSystem(pool, (db) =>
    enqueue(
      db,
      keys.map((key) => ({ lane, key, payload: { said: key } })),
    ),
  )
const rowsOf = async (lane: string) =>
  (
    await pool.query(
      'SELECT key, status, tries, attempts, next_attempt_at FROM deliveries WHERE lane = $1 ORDER BY created_at, key',
      [lane],
    )
  ).rows
const statusesOf = async (lane: string) => (await rowsOf(lane)).map((row) => row.status)
const laneRow = async (lane: string) =>
  (
    await pool.query(
      `SELECT failures, failing_since, last_error, extract(epoch FROM not_before - now())::float8 AS wait FROM delivery_lanes WHERE lane = $1`,
      [lane],
    )
  ).rows[0]
const eventually = <T>(look: () => Promise<T> | T) => expect.poll(look, { timeout: 10_000, interval: 20 })
const keysOf = ({ received }: Receiver) => received.map(({ headers }) => headers['x-key'])

describe('a delivery', () => {
  it('is made once for each key, and stores the attempt', async () => {
    const peer = await receiver(status(202, {}, 'thanks'))
    const lane = await laneTo(peer.url)
    expect(await queue(lane, 'a', 'b')).toBe(2)
    expect(await queue(lane, 'a')).toBe(0)
    const { kind, ended } = posting()
    await working(kind)
    await eventually(() => statusesOf(lane)).toEqual(['succeeded', 'succeeded'])
    expect(keysOf(peer).sort()).toEqual(['a', 'b'])
    expect(peer.received.map(({ body }) => JSON.parse(body).said).sort()).toEqual(['a', 'b'])
    const [row] = await rowsOf(lane)
    expect(row.attempts).toEqual([
      { at: expect.any(String), status: 202, durationMs: expect.any(Number), error: null, body: 'thanks' },
    ])
    expect(ended.map(({ delivery, status: how, error }) => [delivery.key, how, error]).sort()).toEqual([
      ['a', 'succeeded', null],
      ['b', 'succeeded', null],
    ])
    expect(await asSystem(pool, (db) => healthOf(db, [lane]))).toEqual(
      new Map([[lane, { status: 'ok', lastSuccessAt: expect.any(String), lastError: null }]]),
    )
  })

  it.each([
    ['answers 500', status(500, {}, 'broken'), 'status 500'],
    ['redirects', status(302, { location: 'http://127.0.0.1:1/' }), 'status 302'],
    ['never answers', misbehavior.hangs, /timeout|aborted/i],
    ['hangs up', misbehavior.hangsUp, /other side closed|socket/i],
    ['hangs after the headers', misbehavior.hangsAfterHeaders, 'status 500'],
    ['answers without an end', misbehavior.answersWithoutEnd, 'status 500'],
  ])('is tried again when the endpoint %s', async (_name, bad, error) => {
    const peer = await receiver(bad, status(200))
    const lane = await laneTo(peer.url)
    await queue(lane, 'a')
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['succeeded'])
    const [row] = await rowsOf(lane)
    expect(row.attempts).toHaveLength(2)
    expect(row.attempts[0].error).toMatch(error)
    expect(keysOf(peer)).toEqual(['a', 'a'])
  })

  it.each([
    ['refuses connections', 'http://127.0.0.1:1/', /ECONNREFUSED/],
    ['has a forbidden address', 'http://10.0.0.1/', /is not allowed/],
    ['has no valid name', 'http://receiver.invalid/', /ENOTFOUND|EAI_AGAIN|could not be resolved/],
  ])('fails after its last try when the endpoint %s', async (_name, url, error) => {
    const lane = await laneTo(url)
    await queue(lane, 'a')
    const { kind, ended, failed } = posting()
    await working(kind)
    await eventually(() => statusesOf(lane)).toEqual(['failed'])
    const [row] = await rowsOf(lane)
    expect(row).toMatchObject({ tries: 4, next_attempt_at: null })
    expect(row.attempts.map((each: { error: string }) => each.error)).toEqual(
      Array(4).fill(expect.stringMatching(error)),
    )
    expect(failed.map(({ failures }) => failures)).toEqual([1, 2, 3, 4])
    expect(ended).toMatchObject([{ status: 'failed', error: expect.stringMatching(error) }])
  })

  it('fails when the endpoint speaks no TLS', async () => {
    const peer = await receiver()
    const lane = await laneTo(peer.url.replace('http:', 'https:'))
    await queue(lane, 'a')
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['failed'])
  })

  it('waits as long as the endpoint asks for', async () => {
    const peer = await receiver(status(429, { 'retry-after': '1' }), status(200))
    const lane = await laneTo(peer.url)
    await queue(lane, 'a', 'b')
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['succeeded', 'succeeded'])
    const [first, ...others] = peer.received
    const later = others.filter(({ headers }) => headers['x-key'] === first?.headers['x-key'])
    expect((later[0]?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(950)
  })

  it('is not tried again after a final answer', async () => {
    const peer = await receiver(status(410))
    const lane = await laneTo(peer.url)
    await queue(lane, 'a')
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['failed'])
    expect(peer.received).toHaveLength(1)
  })

  it('that is no longer wanted is canceled, and does not count as a failure', async () => {
    const lane = await laneTo('http://127.0.0.1:1/')
    await queue(lane, 'one')
    await working(posting({ send: async () => ({ delivered: false, canceled: true, error: 'settled' }) }).kind)
    await eventually(async () => [await statusesOf(lane), (await laneRow(lane)).failures]).toEqual([['canceled'], 0])
  })

  it('is repeated with the same key only when it has ended', async () => {
    const peer = await receiver(status(410), status(200))
    const lane = await laneTo(peer.url)
    await queue(lane, 'a')
    const repeat = () => asSystem(pool, (db) => repeatDeliveries(db, { lane }))
    expect(await repeat()).toBe(0)
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['failed'])
    expect(await repeat()).toBe(1)
    await eventually(() => statusesOf(lane)).toEqual(['succeeded'])
    expect(keysOf(peer)).toEqual(['a', 'a'])
  })

  it('is made by one of several workers', async () => {
    const peer = await receiver()
    const lane = await laneTo(peer.url, { concurrency: 10 })
    const { kind } = posting()
    for (let worker = 0; worker < 3; worker++) await working(kind)
    await queue(lane, ...Array.from({ length: 60 }, (_, n) => `k${n}`))
    await eventually(async () => new Set(await statusesOf(lane))).toEqual(new Set(['succeeded']))
    expect(new Set(keysOf(peer)).size).toBe(60)
    expect(peer.received).toHaveLength(60)
  })

  it('is tried again with the same key after the worker that tried it was killed', async () => {
    const peer = await receiver()
    const lane = await laneTo(peer.url)
    await queue(lane, 'a')
    const dead = await claimDue(pool, { healthy: 10, failing: 10, withoutPartners: [], kinds: ['test'], leaseMs: 300 })
    expect(dead).toMatchObject([{ key: 'a', tries: 1 }])
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['succeeded'])
    expect(peer.received).toMatchObject([{ headers: { 'x-key': 'a', 'x-try': '2' } }])
  })

  it('keeps its later result when a worker that hung for long reports the earlier try', async () => {
    const peer = await receiver()
    const lane = await laneTo(peer.url)
    const waiting = Promise.withResolvers<void>()
    const slow = posting({
      async send() {
        await waiting.promise
        return { delivered: false, error: 'too late', isFinal: true }
      },
    })
    await queue(lane, 'a')
    const hanging = await working(slow.kind, { leaseMs: 100 })
    await eventually(() => statusesOf(lane)).toEqual(['delivering'])
    hanging.drain().catch(() => undefined)
    await working()
    await eventually(() => statusesOf(lane)).toEqual(['succeeded'])
    waiting.resolve()
    await hanging.drain()
    expect(await statusesOf(lane)).toEqual(['succeeded'])
    expect(slow.ended).toEqual([])
  })

  it('ends when its time is over, even while its endpoint waits after failures', async () => {
    const lane = await laneTo('http://127.0.0.1:1/', { lastsMs: 60_000 })
    await queue(lane, 'a')
    await pool.query(`UPDATE deliveries SET began_at = now() - interval '2 minutes' WHERE lane = $1`, [lane])
    const { kind, ended } = posting()
    expect(await expireDeliveries(parts, [kind])).toBe(1)
    expect(await statusesOf(lane)).toEqual(['failed'])
    expect(ended).toMatchObject([{ status: 'failed', error: expect.stringContaining('time') }])
  })

  it('is deleted thirty days after its end', async () => {
    const lane = await laneTo('http://127.0.0.1:1/')
    await queue(lane, 'old', 'open')
    await pool.query(
      `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, ended_at = now() - interval '31 days' WHERE lane = $1 AND key = 'old'`,
      [lane],
    )
    await forgetOldDeliveries(pool)
    expect((await rowsOf(lane)).map(({ key }) => key)).toEqual(['open'])
  })
})

describe('a lane', () => {
  it('has at most its number of deliveries under way', async () => {
    const peer = await receiver(misbehavior.hangs)
    const lane = await laneTo(peer.url, { concurrency: 3 })
    await queue(lane, ...'abcdef')
    await working()
    await eventually(() => peer.received.length).toBeGreaterThanOrEqual(3)
    expect(peer.received).toHaveLength(3)
  })

  it('keeps the time between two deliveries', async () => {
    const peer = await receiver()
    const lane = await laneTo(peer.url, { spacingMs: 60_000 })
    await queue(lane, ...'abc')
    const { kind } = posting()
    await working(kind)
    await working(kind)
    const tried = async () => (await rowsOf(lane)).filter(({ tries }) => tries > 0).length
    for (const count of [1, 2]) {
      await eventually(() => peer.received.length).toBe(count)
      expect(await tried()).toBe(count)
      expect((await laneRow(lane)).wait).toBeGreaterThan(50)
      await pool.query('UPDATE delivery_lanes SET not_before = now() WHERE lane = $1', [lane])
    }
    await eventually(() => peer.received.length).toBe(3)
  })

  it('gets one probe per 30 s after five failures in a row, and all of its queue when it answers again', async () => {
    const peer = await receiver(status(500))
    const lane = await laneTo(peer.url)
    await queue(lane, ...'abcdefghij')
    await working()
    await eventually(async () => (await laneRow(lane)).failures).toBeGreaterThanOrEqual(5)
    const { failures, wait } = await laneRow(lane)
    expect(failures).toBe(5)
    expect(wait).toBeGreaterThan(25)
    expect(wait).toBeLessThanOrEqual(30)
    const tried = peer.received.length
    const probe = () => pool.query('UPDATE delivery_lanes SET not_before = now() WHERE lane = $1', [lane])
    await probe()
    await eventually(() => peer.received.length).toBe(tried + 1)
    await eventually(async () => (await laneRow(lane)).failures).toBe(6)
    expect(peer.received).toHaveLength(tried + 1)
    peer.answers(status(200))
    await probe()
    await eventually(async () =>
      (await statusesOf(lane)).every((each) => each !== 'pending' && each !== 'delivering'),
    ).toBe(true)
    expect(await laneRow(lane)).toMatchObject({ failures: 0, failing_since: null, last_error: null })
  })

  it('that is dead does not delay another', async () => {
    const dead = await receiver(misbehavior.hangs)
    const healthy = await receiver()
    const deadLanes = await Promise.all(Array.from({ length: 30 }, () => laneTo(dead.url, { concurrency: 10 })))
    const lane = await laneTo(healthy.url, { concurrency: 10 })
    for (const each of deadLanes) await queue(each, ...'abcdefgh')
    await working()
    await eventually(() => dead.received.length).toBeGreaterThan(20)
    const began = Date.now()
    await queue(lane, ...'abcdefgh')
    await eventually(() => healthy.received.length).toBe(8)
    expect(Date.now() - began).toBeLessThan(1_500)
  })

  it('of one partner waits for its turn among the lanes of others', async () => {
    const claim = (healthy: number) =>
      claimDue(pool, { healthy, failing: 0, withoutPartners: [], kinds: ['test'], leaseMs: 60_000 })
    const other = await newPartner()
    for (let n = 0; n < 5; n++) await queue(await laneTo('http://127.0.0.1:1/'), 'a')
    await queue(await laneTo('http://127.0.0.1:1/', { partner: other }), 'a')
    expect((await claim(2)).map((each) => each.partnerId).sort()).toEqual([partnerId, other].sort())
    expect((await claim(10)).map((each) => each.partnerId)).toEqual(Array(4).fill(partnerId))
  })

  it('that is closed sends nothing, and keeps its queue to be repeated', async () => {
    const peer = await receiver()
    const lane = await laneTo(peer.url)
    await queue(lane, 'a', 'b')
    await asSystem(pool, (db) => closeLane(db, lane))
    expect(await queue(lane, 'c')).toBe(0)
    await working()
    expect(await statusesOf(lane)).toEqual(['failed', 'failed'])
    await asSystem(pool, async (db) => {
      await reopenLane(db, lane)
      expect(await repeatDeliveries(db, { lane, status: 'failed' })).toBe(2)
    })
    await eventually(() => peer.received.length).toBe(2)
  })

  it('shows the result of a try outside of its queue', async () => {
    const lane = await laneTo('http://127.0.0.1:1/')
    const health = async () => (await asSystem(pool, (db) => healthOf(db, [lane]))).get(lane)
    expect(await health()).toEqual({ status: 'untested', lastSuccessAt: null, lastError: null })
    await asSystem(pool, (db) => noteTry(db, lane, { delivered: false, error: 'status 500' }))
    expect(await health()).toEqual({ status: 'failing', lastSuccessAt: null, lastError: 'status 500' })
    await asSystem(pool, (db) => noteTry(db, lane, { delivered: true, status: 200 }))
    expect(await health()).toMatchObject({ status: 'ok', lastSuccessAt: expect.any(String), lastError: null })
  })
})
