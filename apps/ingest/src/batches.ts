import {
  BatchWriter,
  type Connected,
  type Disconnected,
  type Refused,
  recordKinds,
  type Sent,
} from '@muster/backplane/batch.ts'
import { deviceIdBytes, shardOfBytes, writeDeviceId } from '@muster/backplane/device-id.ts'
import { batchField, shardStream } from '@muster/backplane/keys.ts'
import { pack } from '@muster/backplane/pack.ts'
import { corkUntilNextTurn, type Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import { heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { type Connection, noAssignments, roleOf } from './connection.ts'
import type { Counters } from './counters.ts'
import type { Limits } from './limits.ts'

/*
 * Frames on their way to Redis. Each shard has one batch that is being filled and at most one that is being appended;
 * frames that arrive meanwhile enlarge the next batch, so a slow Redis gets fewer and larger appends. A batch whose
 * append failed stays first and is retried: the order within a shard is kept, and a frame is acknowledged only after
 * Redis confirmed it.
 */

interface Batch {
  bytes: Buffer
  records: number
  /** The acknowledgments to send once the batch is durable. */
  senders: Connection[]
  sequences: number[]
}

/** The connection that a record comes from. */
interface Origin {
  device: Uint8Array
  bootId: number
}

// Copied into the batch at once, so one array serves all connections.
const device = new Uint8Array(deviceIdBytes)

function deviceBytesOf(connection: Connection): Uint8Array {
  writeDeviceId(device, connection.field)
  return device
}

function originOf(connection: Connection): Origin {
  return { device: deviceBytesOf(connection), bootId: connection.bootId }
}

interface Shard {
  stream: string
  writer: BatchWriter
  senders: Connection[]
  sequences: number[]
  sealed: Batch[]
  isAppending: boolean
}

export interface BatchesOptions {
  redis: Redis
  nodeId: string
  shards: number
  limits: Limits
  counters: Counters
  log: Log
  /** Called once per frame that has become durable. */
  acknowledge: (connection: Connection, sequence: number) => void
  observeAppend: (seconds: number) => void
  /** Called when a connection event was dropped: presence has to be announced again. */
  onEventLost: () => void
}

export class Batches {
  readonly #options: BatchesOptions
  readonly #shards: Shard[]
  /** Bytes in sealed batches and in those being appended. */
  #sealedBytes = 0
  #openBytes = 0
  #flushTimer: NodeJS.Timeout | undefined
  #flushDueMs = 0
  #retryTimer: NodeJS.Timeout | undefined
  #failing = false
  #emptied: (() => void)[] = []

  constructor(options: BatchesOptions) {
    this.#options = options
    this.#shards = Array.from({ length: options.shards }, (_, shard) => ({
      stream: shardStream(shard),
      writer: new BatchWriter(options.nodeId, options.limits.batchBytesMax),
      senders: [],
      sequences: [],
      sealed: [],
      isAppending: false,
    }))
    options.redis.on('ready', () => this.#retry())
  }

  get unsentBytes(): number {
    return this.#sealedBytes + this.#openBytes
  }

  /** Whether the last append failed. */
  get isFailing(): boolean {
    return this.#failing
  }

  /** Accepts a frame; false when too much is unsent already. The frame must then not be acknowledged. */
  addFrame(connection: Connection, type: number, sequence: number, nowMs: number, frame: Uint8Array): boolean {
    if (this.unsentBytes + frame.length > this.#options.limits.unsentBytesMax) {
      this.#options.counters.shed++
      return false
    }
    const device = deviceBytesOf(connection)
    const shard = this.#shardOf(device)
    if (shard === undefined) return false
    this.#append(shard, type, device, connection.bootId, sequence, nowMs, frame, connection)
    return true
  }

  /**
   * @param origin the address or IPv6 network behind trusted proxies; empty when the connection was reported before
   * @param sealingKey from the hello; it is not kept for later reports, because an agent repeats it where it is missing
   */
  connected(connection: Connection, nowMs: number, origin = '', sealingKey?: string): void {
    const { agentVersion, generation, certificateExpiresAtSeconds, capabilities, assignmentRevision } = connection
    const event: Connected = {
      agentVersion,
      role: roleOf(connection),
      gen: generation,
      certificateExpiresAt: certificateExpiresAtSeconds * 1000,
      remoteAddress: origin,
      protocol: connection.protocol,
      ...(capabilities !== '' && { capabilities }),
      ...(assignmentRevision !== noAssignments && { assignmentRevision }),
      ...(sealingKey !== undefined && { sealingKey }),
    }
    this.#addEvent(originOf(connection), recordKinds.connected, nowMs, event)
  }

  /** @param returnsWithinMs after an orderly disconnect: how long the agent may take to reconnect */
  disconnected(connection: Connection, code: number, nowMs: number, returnsWithinMs?: number): void {
    const event: Disconnected = { role: roleOf(connection), code, ...(returnsWithinMs && { returnsWithinMs }) }
    this.#addEvent(originOf(connection), recordKinds.disconnected, nowMs, event)
  }

  sent(connection: Connection, commandId: string, nowMs: number): void {
    const event: Sent = { commandId }
    this.#addEvent(originOf(connection), recordKinds.sent, nowMs, event)
  }

  /** For a device without a connection here, whose ID bytes have to be computed. */
  refused(device: Uint8Array, event: Refused, nowMs: number): void {
    this.#addEvent({ device, bootId: 0 }, recordKinds.refused, nowMs, event)
  }

  /** Appends everything that waits; resolves when Redis has stored it. */
  flush(): Promise<void> {
    this.#pumpAll()
    if (this.#isEmpty()) return Promise.resolve()
    return new Promise((resolve) => this.#emptied.push(resolve))
  }

  stop(): void {
    clearTimeout(this.#flushTimer)
    clearTimeout(this.#retryTimer)
  }

  #shardOf(device: Uint8Array): Shard | undefined {
    return this.#shards[shardOfBytes(device, this.#shards.length)]
  }

  #addEvent(from: Origin, kind: number, nowMs: number, event: object): void {
    const { limits, counters } = this.#options
    const shard = this.#shardOf(from.device)
    if (shard === undefined || this.unsentBytes > limits.unsentBytesMax + limits.unsentEventBytesExtra) {
      counters.eventsLost++
      this.#options.onEventLost()
      return
    }
    this.#append(shard, kind, from.device, from.bootId, 0, nowMs, pack(event))
  }

  #append(
    shard: Shard,
    kind: number,
    device: Uint8Array,
    bootId: number,
    sequence: number,
    nowMs: number,
    payload: Uint8Array,
    sender?: Connection,
  ): void {
    const { limits } = this.#options
    const before = shard.writer.records === 0 ? 0 : shard.writer.bytes
    if (!shard.writer.append(kind, device, bootId, sequence, nowMs, payload)) {
      this.#seal(shard)
      this.#append(shard, kind, device, bootId, sequence, nowMs, payload, sender)
      return
    }
    this.#openBytes += shard.writer.bytes - before
    if (sender !== undefined) {
      shard.senders.push(sender)
      shard.sequences.push(sequence)
    }
    // Scheduled once: a batch that waits for its turn must not be scheduled again with every record.
    if (shard.writer.records === limits.batchRecords) this.#pump(shard)
    this.#schedule(nowMs + this.#patienceOf(kind), nowMs)
  }

  /** How long a record may wait for others to share its batch. */
  #patienceOf(kind: number): number {
    const { limits } = this.#options
    if (kind === heartbeat.type) return limits.heartbeatBatchMs
    return kind === recordKinds.connected || kind === recordKinds.disconnected
      ? limits.connectionBatchMs
      : limits.batchMs
  }

  #schedule(dueMs: number, nowMs: number): void {
    if (this.#flushTimer !== undefined && this.#flushDueMs <= dueMs) return
    clearTimeout(this.#flushTimer)
    this.#flushDueMs = dueMs
    this.#flushTimer = setTimeout(() => this.#pumpAll(), dueMs - nowMs)
  }

  #seal(shard: Shard): void {
    const { senders, sequences } = shard
    const records = shard.writer.records
    this.#openBytes -= shard.writer.bytes
    const bytes = shard.writer.flush()
    this.#sealedBytes += bytes.length
    shard.sealed.push({ bytes, records, senders, sequences })
    shard.senders = []
    shard.sequences = []
  }

  #pumpAll(): void {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    for (const shard of this.#shards) this.#pump(shard)
  }

  #pump(shard: Shard): void {
    // After a failure all batches wait for the retry; otherwise every new frame would retry at once.
    if (shard.isAppending || this.#retryTimer !== undefined || this.#options.redis.status !== 'ready') return
    if (shard.sealed.length === 0) {
      if (shard.writer.records === 0) return
      this.#seal(shard)
    }
    const batch = shard.sealed[0]
    if (batch === undefined) return
    shard.isAppending = true
    const startedAt = performance.now()
    corkUntilNextTurn(this.#options.redis)
    this.#options.redis.xadd(shard.stream, '*', batchField, batch.bytes).then(
      () => this.#appended(shard, batch, (performance.now() - startedAt) / 1000),
      (error: unknown) => this.#failed(shard, error),
    )
  }

  #appended(shard: Shard, batch: Batch, seconds: number): void {
    const { counters, acknowledge, observeAppend, log } = this.#options
    shard.isAppending = false
    shard.sealed.shift()
    this.#sealedBytes -= batch.bytes.length
    if (this.#failing) log.info({ unsentBytes: this.unsentBytes }, 'Redis accepts appends again')
    this.#failing = false
    counters.batches++
    counters.records += batch.records
    observeAppend(seconds)
    for (let index = 0; index < batch.senders.length; index++) {
      const sender = batch.senders[index]
      if (sender !== undefined) acknowledge(sender, batch.sequences[index] ?? 0)
    }
    // Without a full batch, the timer of the first record is already running.
    if (
      shard.sealed.length > 0 ||
      shard.writer.records >= this.#options.limits.batchRecords ||
      this.#flushTimer === undefined
    )
      this.#pump(shard)
    if (this.#emptied.length > 0 && this.#isEmpty()) for (const resolve of this.#emptied.splice(0)) resolve()
  }

  #failed(shard: Shard, error: unknown): void {
    const { counters, log, limits } = this.#options
    shard.isAppending = false
    counters.appendFailures++
    if (!this.#failing)
      log.warn(
        { err: error, unsentBytes: this.unsentBytes },
        'cannot append to Redis; frames are kept and not acknowledged',
      )
    this.#failing = true
    this.#retryTimer ??= setTimeout(() => this.#retry(), limits.appendRetryMs)
  }

  #retry(): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = undefined
    this.#pumpAll()
  }

  #isEmpty(): boolean {
    return this.#shards.every((shard) => !shard.isAppending && shard.sealed.length === 0 && shard.writer.records === 0)
  }
}
