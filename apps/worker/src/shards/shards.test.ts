import { randomUUID } from 'node:crypto'
import { shardOwner, workersKey } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { createLog } from '@muster/kit/log.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Bed, openBed, until } from '../testing/bed.ts'
import { type Drain, Shards } from './shards.ts'

let bed: Bed
const started: Shards[] = []

beforeAll(async () => {
  bed = await openBed()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((shards) => shards.drain()))
  await bed.redis.flushdb()
})
afterAll(() => bed?.close())

/** Shard → worker, checked at every start and end: two workers never drain one shard. */
const draining = new Map<number, string>()

function worker(redis: Redis = bed.redis): { shards: Shards; workerId: string } {
  const workerId = randomUUID()
  const open = (shard: number): Drain => {
    if (draining.has(shard)) throw new Error(`shard ${shard} is drained twice`)
    draining.set(shard, workerId)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = () => {
        draining.delete(shard)
        resolve()
      }
    })
    return {
      ended,
      async stop() {
        end()
        await ended
      },
    }
  }
  const shards = new Shards({ redis, workerId, shards: 8, open, log: createLog('test', 'silent') })
  started.push(shards)
  return { shards, workerId }
}

const counts = (...workers: { shards: Shards }[]) =>
  until(
    'an even share',
    async () => workers.map(({ shards }) => shards.held.length),
    (held) => held.reduce((sum, count) => sum + count, 0) === 8 && Math.max(...held) - Math.min(...held) <= 1,
    25_000,
  )

describe('shard leases', () => {
  it('are shared evenly, released to new workers, and taken over at once from a worker that stops', async () => {
    const first = worker()
    await first.shards.run()
    await counts(first)
    const second = worker()
    await second.shards.run()
    await counts(first, second)
    const owners = await Promise.all(Array.from({ length: 8 }, (_, shard) => bed.redis.get(shardOwner(shard))))
    expect(new Set(owners)).toEqual(new Set([first.workerId, second.workerId]))
    await first.shards.drain()
    await counts(second)
    expect(await bed.redis.zrange(workersKey, '0', '-1')).toEqual([second.workerId])
  })

  it('of a dead worker expire and are taken over', async () => {
    const dead = randomUUID()
    await bed.redis.zadd(workersKey, Date.now(), dead)
    for (let shard = 0; shard < 8; shard++) await bed.redis.set(shardOwner(shard), dead, 'PX', 3_000)
    const survivor = worker()
    await survivor.shards.run()
    await counts(survivor)
  })

  it('that were lost end the consumer', async () => {
    const one = worker()
    await one.shards.run()
    await counts(one)
    await bed.redis.set(shardOwner(3), 'another', 'PX', 60_000)
    await until(
      'the loss',
      async () => draining.has(3),
      (isDrained) => !isDrained,
    )
    expect(one.shards.held).not.toContain(3)
  })
})
