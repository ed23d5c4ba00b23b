import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import { isTransient } from '@muster/kit/transient-errors.ts'
import type pg from 'pg'
import type { Decoded } from '../heartbeats/decoded.ts'
import type { Decoder } from '../heartbeats/decoder.ts'
import { KnownDevices } from '../heartbeats/known-devices.ts'
import {
  abandonedMs,
  claimCheckMs,
  retryDelayFirstMs,
  retryDelayMaxMs,
  takeoversMax,
  takeoversTogetherMax,
  triesMax,
  waitForEntriesMs,
  wavePaceMs,
  writePaceMs,
} from '../limits.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { judgeConnections } from '../presence/connections.ts'
import { openPosition } from './position.ts'
import { ReadSize } from './read-size.ts'
import { compareIds, type Entry, GroupLost, LeaseLost, ShardStream } from './stream.ts'
import type { WriteGroups } from './write-groups.ts'
import { PositionMoved, remember, type Writer } from './writer.ts'

export interface ConsumerParts {
  redis: Redis
  /** Opens a connection for blocking reads. */
  blocking: () => Redis
  pool: pg.Pool
  decoder: Decoder
  writer: Writer
  groups: WriteGroups
  /** Called when Redis lost the stream, and with it all other data. */
  onRedisForgot: () => void
  metrics: WorkerMetrics
  log: Log
}

interface Load {
  entries: Entry[]
  decoded: Decoded
  /** The read has the maximum size: more entries probably wait. */
  full: boolean
}

// All shards of a process write at the same time, so that their reads share a transaction; processes differ.
const phaseMs = Math.random() * writePaceMs
const untilNextMs = (paceMs: number) => paceMs - ((performance.now() + phaseMs) % paceMs)

/**
 * Stores the entries of one shard in the order of its stream: first those that an earlier owner did not acknowledge, then new
 * ones. Because of this order one position per stream tells what is stored.
 */
export class ShardConsumer {
  readonly shard: number
  readonly #parts: ConsumerParts
  readonly #stream: ShardStream
  readonly #blocking: Redis
  readonly #devices: KnownDevices
  readonly #size = new ReadSize()
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #position = '0-0'
  #delivered = '0-0'
  #ahead: Promise<Load | undefined> | undefined
  #claimedAt = 0
  #hasTakenOver = false
  #failures = 0

  /** Starts to read. `consumer` must already have the lease of the shard. */
  constructor(parts: ConsumerParts, shard: number, consumer: string, shards: number) {
    this.shard = shard
    this.#parts = parts
    this.#stream = new ShardStream(parts.redis, shard, consumer)
    this.#blocking = parts.blocking()
    this.#devices = new KnownDevices(shards)
    this.#loop = this.#run()
  }

  /** Settles when the consumer has ended, by `stop` or because another worker has the shard. */
  get ended(): Promise<void> {
    return this.#loop
  }

  /** Finishes the current write and ends. The next owner stores what was only read. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#blocking.disconnect()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#synchronize()
        while (!signal.aborted) await this.#turn()
      } catch (error) {
        if (error instanceof LeaseLost) break
        if (!signal.aborted) await this.#recover(error)
      }
    }
    this.#blocking.disconnect()
  }

  async #recover(error: unknown): Promise<void> {
    this.#ahead?.catch(() => undefined)
    this.#ahead = undefined
    this.#devices.clear()
    this.#parts.log.warn({ err: error, shard: this.shard }, 'Reading the shard again')
    if (!(error instanceof PositionMoved)) await this.#backOff()
  }

  /** Finds the position and takes over all unacknowledged entries, which are older than the next read. */
  async #synchronize(): Promise<void> {
    const { last, isNew } = await this.#stream.open()
    this.#position = await openPosition(this.#parts.pool, this.#stream.name, last)
    this.#delivered = this.#position
    if (isNew) this.#parts.onRedisForgot()
    await this.#takeOver(0)
    if (!this.#hasTakenOver) await this.#stream.forgetTakeovers()
    this.#hasTakenOver = true
    this.#failures = 0
  }

  async #takeOver(idleMs: number): Promise<void> {
    this.#claimedAt = Date.now()
    let from: string | null = '0-0'
    while (from !== null && !this.#stopping.signal.aborted) {
      const claimed = await this.#stream.claim(from, idleMs, this.#size.entries)
      const entries = await this.#withoutStored(claimed.entries)
      if (entries.length > 0) await this.#handleClaimed(entries)
      from = claimed.next
    }
  }

  /** Finds the entry that crashes every worker that takes it over. */
  async #handleClaimed(entries: Entry[]): Promise<void> {
    const takeovers = this.#hasTakenOver ? [] : await this.#stream.countTakeovers(entries)
    if (Math.max(0, ...takeovers) <= takeoversTogetherMax)
      return this.#handle({ entries, decoded: await this.#decode(entries), full: true })
    for (const [index, entry] of entries.entries()) {
      // The first entry was counted with the others above.
      const [count = 0] = index === 0 ? takeovers : await this.#stream.countTakeovers([entry])
      if (count > takeoversMax) await this.#setAside([entry], 'it crashed several workers', count)
      else await this.#storeAlone(entry)
    }
  }

  async #turn(): Promise<void> {
    if (Date.now() - this.#claimedAt > claimCheckMs) await this.#takeOver(abandonedMs)
    const load = await (this.#ahead ?? this.#read())
    this.#ahead = undefined
    if (load === undefined) {
      await this.#stream.waitBehind(this.#blocking, this.#delivered, waitForEntriesMs)
      return
    }
    if (load.full) {
      // Read and decode the next entries during this write.
      this.#ahead = this.#read()
      this.#ahead.catch(() => undefined)
    }
    await this.#handle(load)
    if (!load.full) await this.#pause(untilNextMs(this.#parts.groups.isInWave ? wavePaceMs : writePaceMs))
  }

  async #read(): Promise<Load | undefined> {
    const count = this.#size.entries
    const entries = await this.#stream.read(count)
    const last = entries.at(-1)
    if (last === undefined) return undefined
    this.#delivered = last.id
    return { entries, decoded: await this.#decode(entries), full: entries.length === count }
  }

  async #decode(entries: readonly Entry[]): Promise<Decoded> {
    const { decoder, metrics, log } = this.#parts
    const decoded = await decoder.decode(entries.map((entry) => entry.bytes))
    if (decoded.invalid.length === 0) return decoded
    metrics.invalid.inc(decoded.invalid.length)
    const [first] = decoded.invalid
    log.warn(
      { shard: this.shard, records: decoded.invalid.length, reason: first?.reason },
      'Invalid records set aside as dead letters',
    )
    await this.#stream.keepInvalid(
      decoded.invalid.map(({ entry, reason, batch }) => ({ reason, batch, from: entries[entry]?.id ?? '' })),
    )
    return decoded
  }

  /** Acknowledges entries that are stored already and returns the others. */
  async #withoutStored(entries: Entry[]): Promise<Entry[]> {
    const open = entries.filter(({ id }) => compareIds(id, this.#position) > 0)
    if (open.length < entries.length)
      await this.#stream.acknowledge(entries.filter((entry) => !open.includes(entry)).map(({ id }) => id))
    return open
  }

  async #handle(load: Load): Promise<void> {
    const entries = await this.#withoutStored(load.entries)
    if (entries.length === 0) return
    const decoded = entries.length === load.entries.length ? load.decoded : await this.#decode(entries)
    const isStored = await this.#store(entries, decoded)
    if (isStored) return
    for (const entry of entries) await this.#storeAlone(entry)
  }

  /** Retries until the entries are stored; false if the entries cause the failure. */
  async #store(entries: readonly Entry[], decoded: Decoded): Promise<boolean> {
    const [broken] = decoded.broken
    if (broken !== undefined) return false
    for (;;) {
      try {
        await this.#write(entries, decoded)
        return true
      } catch (error) {
        if (this.#mustGiveUp(error)) throw error
        const { metrics, log } = this.#parts
        const isElsewhere = isTransient(error)
        metrics.retries.inc({ why: isElsewhere ? 'store' : 'data' })
        log.warn({ err: error, shard: this.shard, entries: entries.length }, 'Write failed')
        if (!isElsewhere) return false
        this.#size.shrink()
        await this.#backOff()
      }
    }
  }

  async #storeAlone(entry: Entry): Promise<void> {
    let reason = ''
    for (let tries = 1; tries <= triesMax; tries++) {
      try {
        const decoded = await this.#parts.decoder.decode([entry.bytes])
        reason = decoded.broken[0]?.reason ?? 'the database rejected it'
        if (await this.#store([entry], decoded)) return
      } catch (error) {
        // Not a failure of the database: the decoding thread crashed.
        if (this.#mustGiveUp(error)) throw error
        reason = error instanceof Error ? error.message : String(error)
      }
      if (tries < triesMax) await this.#pause(retryDelayFirstMs * 2 ** (tries - 1))
    }
    await this.#setAside([entry], reason, triesMax)
  }

  async #setAside(entries: readonly Entry[], reason: string, tries: number): Promise<void> {
    await this.#stream.setAside(entries, reason, tries)
    this.#parts.metrics.deadLetters.inc(entries.length)
    const ids = entries.map(({ id }) => id)
    this.#parts.log.error({ shard: this.shard, entries: ids, reason }, 'Entries set aside as dead letters')
  }

  async #write(entries: readonly Entry[], decoded: Decoded): Promise<void> {
    const { redis, writer, groups } = this.#parts
    const startedMs = performance.now()
    const prepared = await writer.prepare(decoded, this.#devices)
    const judged = await judgeConnections(redis, prepared.devices, prepared.plan.connections)
    const to = entries.at(-1)?.id ?? this.#position
    const step = { stream: this.#stream.name, from: this.#position, to }
    const written = await groups.write({ ...prepared, ...judged, step })
    this.#position = to
    this.#failures = 0
    remember(this.#devices, prepared, written.vanished > 0)
    this.#size.adapt(entries, decoded.records, performance.now() - startedMs)
    await this.#acknowledge(entries)
  }

  /** A failure must not store the entries twice: the shard is read again, which finds them stored. */
  async #acknowledge(entries: readonly Entry[]): Promise<void> {
    try {
      await this.#stream.acknowledge(entries.map(({ id }) => id))
    } catch (cause) {
      throw new PositionMoved(this.#stream.name, { cause })
    }
  }

  #mustGiveUp(error: unknown): boolean {
    return (
      this.#stopping.signal.aborted ||
      error instanceof LeaseLost ||
      error instanceof GroupLost ||
      error instanceof PositionMoved
    )
  }

  async #backOff(): Promise<void> {
    const delayMs = Math.min(retryDelayMaxMs, retryDelayFirstMs * 2 ** Math.min(this.#failures++, 10))
    await this.#pause(delayMs * (0.5 + Math.random() / 2))
  }

  /** Returns early when the consumer stops. */
  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }
}
