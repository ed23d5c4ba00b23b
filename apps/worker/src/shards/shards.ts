import { setTimeout as pause } from 'node:timers/promises'
import { shardOwner, workersKey } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Service } from '@muster/kit/service.ts'
import { leaseMs, leaseRenewalMs, workerSilentMs } from '../limits.ts'

/** Reads a shard while this worker has its lease. */
export interface Drain {
  /** Settles when it has ended, by itself or after `stop`. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export interface ShardOptions {
  redis: Redis
  workerId: string
  shards: number
  /** Starts to read a shard whose lease this worker has. */
  open: (shard: number) => Drain
  log: Log
}

// The clock of Redis, so that workers with different clocks agree on who is alive.
const appear = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
return redis.call('ZCARD', KEYS[1])`
const renew = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`
const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

interface Held {
  drain: Drain
  leaving?: Promise<void>
}

/** Shares the shards among the living workers: each takes free ones up to an equal share and releases the rest. */
export class Shards implements Service {
  readonly name = 'shards'
  readonly #options: ShardOptions
  readonly #held = new Map<number, Held>()
  readonly #stopping = new AbortController()
  #loop = Promise.resolve()
  #isFailing = false

  constructor(options: ShardOptions) {
    this.#options = options
  }

  /** The shards that this worker reads. */
  get held(): number[] {
    return [...this.#held.keys()]
  }

  async run(): Promise<void> {
    this.#loop = this.#repeat()
  }

  /** Finishes current writes and releases all leases, so that other workers need not wait until they expire. */
  async drain(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    await Promise.all(this.held.map((shard) => this.#leave(shard)))
    await this.#options.redis.zrem(workersKey, this.#options.workerId)
  }

  async stop(): Promise<void> {}

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping
    const { log } = this.#options
    while (!signal.aborted) {
      try {
        await this.#balance()
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing) log.warn({ err: error }, 'Shard leases could not be renewed')
        this.#isFailing = true
      }
      await pause(leaseRenewalMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #balance(): Promise<void> {
    const { redis, workerId, shards } = this.#options
    const living = Number(await redis.eval(appear, 1, workersKey, workerId, workerSilentMs))
    await Promise.all(this.held.map((shard) => this.#renew(shard)))
    const share = Math.ceil(shards / Math.max(1, living))
    const staying = [...this.#held].filter(([, { leaving }]) => leaving === undefined).map(([shard]) => shard)
    for (const shard of staying.slice(share)) void this.#leave(shard)
    // Workers start at different shards, or all would try the same ones in the same order.
    const first = Math.floor(Math.random() * shards)
    for (let step = 0; step < shards && this.#held.size < share; step++) await this.#take((first + step) % shards)
  }

  async #renew(shard: number): Promise<void> {
    const { redis, workerId, log } = this.#options
    const renewed = await redis.eval(renew, 1, shardOwner(shard), workerId, leaseMs)
    if (renewed === 1) return
    const held = this.#held.get(shard)
    this.#held.delete(shard)
    log.warn({ shard }, 'Lost the lease of the shard')
    await held?.drain.stop()
  }

  async #take(shard: number): Promise<void> {
    const { redis, workerId, open, log } = this.#options
    if (this.#held.has(shard)) return
    if ((await redis.set(shardOwner(shard), workerId, 'PX', leaseMs, 'NX')) === null) return
    const drain = open(shard)
    this.#held.set(shard, { drain })
    log.info({ shard }, 'Reading the shard')
    drain.ended.then(() => {
      if (this.#held.get(shard)?.drain === drain) this.#held.delete(shard)
    })
  }

  #leave(shard: number): Promise<void> {
    const held = this.#held.get(shard)
    if (held === undefined) return Promise.resolve()
    held.leaving ??= this.#release(shard, held.drain)
    return held.leaving
  }

  /** Renews the lease until the last write is done, then releases it. */
  async #release(shard: number, drain: Drain): Promise<void> {
    const { redis, workerId, log } = this.#options
    await drain.stop()
    this.#held.delete(shard)
    await redis
      .eval(release, 1, shardOwner(shard), workerId)
      .catch((error: unknown) => log.warn({ err: error, shard }, 'Lease was not released and has to expire'))
    log.info({ shard }, 'Released the shard')
  }
}
