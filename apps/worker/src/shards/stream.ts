import { batchField, deadStream, shardOwner, shardStream, takeoversHash, writersGroup } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { untilReady } from '@muster/backplane/redis.ts'
import { deadEntriesMax } from '../limits.ts'

export interface Entry {
  id: string
  bytes: Uint8Array
}

/** Another worker has the lease of the shard. */
export class LeaseLost extends Error {
  constructor(shard: number) {
    super(`Another worker has the lease of shard ${shard}`)
    this.name = 'LeaseLost'
  }
}

/** The stream or its group is missing: Redis was flushed, or an operator removed it. */
export class GroupLost extends Error {
  constructor(shard: number) {
    super(`The stream or group of shard ${shard} is missing`)
    this.name = 'GroupLost'
  }
}

/*
 * Reading and claiming check the lease in the same step. So a former owner that was suspended never takes an entry that the
 * new owner would then skip.
 */
const notOurs = `if redis.call('GET', KEYS[2]) ~= ARGV[1] then return redis.error_reply('NOTOURS') end`
const readFenced = `${notOurs}
return redis.call('XREADGROUP', 'GROUP', ARGV[2], ARGV[1], 'COUNT', ARGV[3], 'STREAMS', KEYS[1], '>')`
/** A script, because transactions of the client library keep each other in memory until a full garbage collection. */
const acknowledgeAndDelete = `redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 2)) return redis.call('XDEL', KEYS[1], unpack(ARGV, 2))`
const claimFenced = `${notOurs}
return redis.call('XAUTOCLAIM', KEYS[1], ARGV[2], ARGV[1], ARGV[3], ARGV[4], 'COUNT', ARGV[5])`
const lowestId = '0-0'
const takeoversKeptSeconds = 86_400

/** The stream of one shard, for its owner. The name of the consumer is the value of the lease. */
export class ShardStream {
  readonly name: string
  readonly #redis: Redis
  readonly #shard: number
  readonly #consumer: string
  readonly #takeovers: string

  constructor(redis: Redis, shard: number, consumer: string) {
    this.name = shardStream(shard)
    this.#redis = redis
    this.#shard = shard
    this.#consumer = consumer
    this.#takeovers = takeoversHash(shard)
  }

  /** Creates stream and group if they are missing. `last` is the last ID that the stream ever had. */
  async open(): Promise<{ last: string; isNew: boolean }> {
    const isNew = await this.#redis.xgroup('CREATE', this.name, writersGroup, '0', 'MKSTREAM').then(
      () => true,
      (error: unknown) => {
        if (messageOf(error).startsWith('BUSYGROUP')) return false
        throw error
      },
    )
    const facts: unknown = await this.#redis.call('XINFO', 'STREAM', this.name)
    const last: unknown = Array.isArray(facts) ? facts[facts.indexOf('last-generated-id') + 1] : undefined
    return { last: typeof last === 'string' ? last : lowestId, isNew }
  }

  /** Entries that no consumer has read yet; returns at once if there are none. */
  async read(count: number): Promise<Entry[]> {
    const answer = await this.#fenced(readFenced, [writersGroup, count])
    if (!Array.isArray(answer)) return []
    const [stream]: unknown[] = answer
    return Array.isArray(stream) ? entriesOf(stream[1]) : []
  }

  /** Takes over unacknowledged entries of any consumer, oldest first. `next` is null at the end. */
  async claim(from: string, idleMs: number, count: number): Promise<{ entries: Entry[]; next: string | null }> {
    const answer = await this.#fenced(claimFenced, [writersGroup, idleMs, from, count])
    if (!Array.isArray(answer)) return { entries: [], next: null }
    const [cursor, list]: unknown[] = answer
    const next = cursor instanceof Buffer ? cursor.toString() : lowestId
    return { entries: entriesOf(list), next: next === lowestId ? null : next }
  }

  /** Counts a takeover of each entry. @returns the counts */
  async countTakeovers(entries: readonly Entry[]): Promise<number[]> {
    const pipeline = this.#redis.pipeline()
    for (const { id } of entries) pipeline.hincrby(this.#takeovers, id, 1)
    pipeline.expire(this.#takeovers, takeoversKeptSeconds)
    const results = await pipeline.exec()
    return entries.map((_, index) => Number(results?.[index]?.[1] ?? 0))
  }

  /** All entries that were taken over are stored or are dead letters. */
  async forgetTakeovers(): Promise<void> {
    await this.#redis.del(this.#takeovers)
  }

  /** Waits until the stream has an entry after `after`. The connection is blocked meanwhile. */
  async waitBehind(blocking: Redis, after: string, waitMs: number): Promise<void> {
    await untilReady(blocking, waitMs)
    await blocking.xread('COUNT', 1, 'BLOCK', waitMs, 'STREAMS', this.name, after)
  }

  /** Acknowledges and deletes entries whose content is stored. */
  async acknowledge(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#redis.eval(acknowledgeAndDelete, 1, this.name, writersGroup, ...ids)
  }

  /** Moves entries to the dead letters, where an operator can see and replay them. */
  async setAside(entries: readonly Entry[], reason: string, tries: number): Promise<void> {
    const transaction = this.#redis.multi()
    for (const { id, bytes } of entries) {
      this.#addDead(transaction, bytes, reason, id, tries)
      transaction.xack(this.name, writersGroup, id).xdel(this.name, id)
    }
    await transaction.exec()
  }

  /** Stores invalid records as dead letters, each as its own batch. */
  async keepInvalid(records: readonly { batch: Uint8Array; reason: string; from: string }[]): Promise<void> {
    if (records.length === 0) return
    const pipeline = this.#redis.pipeline()
    for (const { batch, reason, from } of records) this.#addDead(pipeline, batch, reason, from, 1)
    await pipeline.exec()
  }

  #addDead(
    commands: ReturnType<Redis['pipeline']>,
    bytes: Uint8Array,
    reason: string,
    from: string,
    tries: number,
  ): void {
    const batch = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const fields = [batchField, batch, 'error', reason, 'from', from, 'tries', tries]
    commands.xadd(deadStream(this.#shard), 'MAXLEN', '~', deadEntriesMax, '*', ...fields)
  }

  async #fenced(script: string, args: (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.callBuffer(
        'EVAL',
        script,
        2,
        this.name,
        shardOwner(this.#shard),
        this.#consumer,
        ...args,
      )
    } catch (error) {
      const message = messageOf(error)
      if (message.includes('NOTOURS')) throw new LeaseLost(this.#shard)
      if (/NOGROUP|no such key|requires the key to exist/i.test(message)) throw new GroupLost(this.#shard)
      throw error
    }
  }
}

function entriesOf(list: unknown): Entry[] {
  return Array.isArray(list) ? list.flatMap((item) => entryOf(item) ?? []) : []
}

function entryOf(item: unknown): Entry | undefined {
  if (!Array.isArray(item)) return undefined
  const [id, fields]: unknown[] = item
  if (!(id instanceof Buffer) || !Array.isArray(fields)) return undefined
  const at = fields.findIndex((field, index) => index % 2 === 0 && field instanceof Buffer && field.equals(batchName))
  const value: unknown = fields[at + 1]
  // An entry without a batch becomes an empty batch, which is invalid.
  const bytes = at >= 0 && value instanceof Buffer ? value : new Uint8Array(0)
  return { id: id.toString(), bytes }
}

const batchName = Buffer.from(batchField)

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Compares two stream IDs: negative if `a` comes before `b`. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0, aCount = 0] = a.split('-').map(Number)
  const [bMs = 0, bCount = 0] = b.split('-').map(Number)
  return aMs - bMs || aCount - bCount
}
