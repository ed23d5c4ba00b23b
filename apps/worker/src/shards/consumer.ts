import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
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
import { isTransient } from './transient-errors.ts'
import type { WriteGroups } from './write-groups.ts'
import { PositionMoved, remember, type Writer } from './writer.ts'

export interface ConsumerParts {
  redis: Redis
  /** Makes a connection for blocking reads. */
  blocking: () => Redis
  pool: pg.Pool
  decoder: Decoder
  writer: Writer
  groups: WriteGroups
  /** Called when the stream turns out to be lost, and with it whatever else Redis kept. */
  onRedisForgot: () => void
  metrics: WorkerMetrics
  log: Log
}

interface Load {
  entries: Entry[]
  decoded: Decoded
  /** As many as were asked for: more are probably waiting. */
  full: boolean
}

// All shards of a process write at the same moments, so that their reads meet in one transaction; processes differ.
const phaseMs = Math.random() * writePaceMs
const untilNextMs = (paceMs: number) => paceMs - ((performance.now() + phaseMs) % paceMs)

/**
 * Drains one shard, strictly in the order of its stream: what an earlier owner left unacknowledged first, then what is
 * new. Order is what makes one position per stream enough to know what is stored.
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

  /** Starts draining. The shard's lease has to hold `consumer` already. */
  constructor(parts: ConsumerParts, shard: number, consumer: string, shards: number) {
    this.shard = shard
    this.#parts = parts
    this.#stream = new ShardStream(parts.redis, shard, consumer)
    this.#blocking = parts.blocking()
    this.#devices = new KnownDevices(shards)
    this.#loop = this.#run()
  }

  /** Settles when the consumer has ended, by `stop` or because the shard is another worker's. */
  get ended(): Promise<void> {
    return this.#loop
  }

  /** Finishes what is being written and ends; what was only read stays for the next owner. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#blocking.disconnect()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#synchronise()
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
    this.#parts.log.warn({ err: error, shard: this.shard }, 'the shard is read anew')
    if (!(error instanceof PositionMoved)) await this.#backOff()
  }

  /** Finds the position and takes over everything unacknowledged, so that nothing older follows what is read next. */
  async #synchronise(): Promise<void> {
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

  /** Looks for the entry that ends every worker which takes it over. */
  async #handleClaimed(entries: Entry[]): Promise<void> {
    const takeovers = this.#hasTakenOver ? [] : await this.#stream.countTakeovers(entries)
    if (Math.max(0, ...takeovers) <= takeoversTogetherMax)
      return this.#handle({ entries, decoded: await this.#decode(entries), full: true })
    for (const [index, entry] of entries.entries()) {
      // The first was counted with the others just now.
      const [count = 0] = index === 0 ? takeovers : await this.#stream.countTakeovers([entry])
      if (count > takeoversMax) await this.#setAside([entry], 'it ended several workers', count)
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
      // Read and decode the next while this one is written.
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
    log.warn({ shard: this.shard, records: decoded.invalid.length, reason: first?.reason }, 'records set aside')
    await this.#stream.keepInvalid(
      decoded.invalid.map(({ entry, reason, batch }) => ({ reason, batch, from: entries[entry]?.id ?? '' })),
    )
    return decoded
  }

  /** Lets go of entries that are stored already and returns the others. */
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

  /** Stores until it succeeds; false when the failure lies in the entries. */
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
        log.warn({ err: error, shard: this.shard, entries: entries.length }, 'a write failed')
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
        reason = decoded.broken[0]?.reason ?? 'the database refused it'
        if (await this.#store([entry], decoded)) return
      } catch (error) {
        // What ends here did not come from storing: the thread that decodes it did not survive it.
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
    this.#parts.log.error({ shard: this.shard, entries: ids, reason }, 'entries set aside as dead letters')
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

  /** A failure here must not store the entries again: the shard is read anew, which finds them stored. */
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

  /** Returns early when the consumer is to stop. */
  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }
}
