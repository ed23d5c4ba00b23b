import { setTimeout as pause } from 'node:timers/promises'
import { shardOwner, workersKey } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Service } from '@muster/kit/service.ts'
import { leaseMs, leaseRenewalMs, workerSilentMs } from '../limits.ts'

/** What drains a shard while this worker holds its lease. */
export interface Drain {
  /** Settles when it has ended, by itself or because it was told to. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export interface ShardOptions {
  redis: Redis
  workerId: string
  shards: number
  /** Starts draining a shard whose lease is held. */
  open: (shard: number) => Drain
  log: Log
}

// Redis's own clock, so that workers whose clocks differ agree on who is alive.
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

/** Shares the shards among the living workers: each takes free ones up to an equal part and gives back what is beyond. */
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

  /** The shards that this worker drains. */
  get held(): number[] {
    return [...this.#held.keys()]
  }

  async run(): Promise<void> {
    this.#loop = this.#repeat()
  }

  /** Finishes what is being written and gives everything back at once, so that others need not wait for leases to run out. */
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
        if (!this.#isFailing) log.warn({ err: error }, 'cannot renew the leases of shards')
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
    // Each begins its search elsewhere, or all workers would try the same shards in the same order.
    const first = Math.floor(Math.random() * shards)
    for (let step = 0; step < shards && this.#held.size < share; step++) await this.#take((first + step) % shards)
  }

  async #renew(shard: number): Promise<void> {
    const { redis, workerId, log } = this.#options
    const renewed = await redis.eval(renew, 1, shardOwner(shard), workerId, leaseMs)
    if (renewed === 1) return
    const held = this.#held.get(shard)
    this.#held.delete(shard)
    log.warn({ shard }, 'the lease of the shard was lost')
    await held?.drain.stop()
  }

  async #take(shard: number): Promise<void> {
    const { redis, workerId, open, log } = this.#options
    if (this.#held.has(shard)) return
    if ((await redis.set(shardOwner(shard), workerId, 'PX', leaseMs, 'NX')) === null) return
    const drain = open(shard)
    this.#held.set(shard, { drain })
    log.info({ shard }, 'draining the shard')
    drain.ended.then(() => {
      if (this.#held.get(shard)?.drain === drain) this.#held.delete(shard)
    })
  }

  #leave(shard: number): Promise<void> {
    const held = this.#held.get(shard)
    if (held === undefined) return Promise.resolve()
    held.leaving ??= this.#giveBack(shard, held.drain)
    return held.leaving
  }

  /** Keeps the lease, which goes on being renewed, until the last write is done. */
  async #giveBack(shard: number, drain: Drain): Promise<void> {
    const { redis, workerId, log } = this.#options
    await drain.stop()
    this.#held.delete(shard)
    await redis
      .eval(release, 1, shardOwner(shard), workerId)
      .catch((error: unknown) => log.warn({ err: error, shard }, 'a lease was not given back and has to run out'))
    log.info({ shard }, 'gave the shard back')
  }
}
