import { deviceIdToBytes, shardOfBytes } from '@muster/backplane/device-id.ts'
import { downStream, ordersField } from '@muster/backplane/keys.ts'
import { decodeOrders, type Order } from '@muster/backplane/routing.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Redis } from 'ioredis'
import type { Batches } from './batches.ts'
import type { Connection } from './connection.ts'
import type { Counters } from './counters.ts'
import type { Limits } from './limits.ts'
import type { Registry } from './registry.ts'
import type { Replies } from './replies.ts'

export interface PushOptions {
  /** For the blocking read alone. */
  reader: Redis
  redis: Redis
  nodeId: string
  shards: number
  limits: Limits
  log: Log
  registry: Registry
  batches: Batches
  counters: Counters
  replies: Replies
  send: (connection: Connection, frame: Uint8Array) => boolean
  close: (connection: Connection, code: number, reason: string) => void
}

/** Carries out what other processes ask of this node's sockets. */
export class Push {
  readonly #options: PushOptions
  readonly #stream: string
  #position = '0-0'
  #isRunning = false
  #loop: Promise<void> = Promise.resolve()

  constructor(options: PushOptions) {
    this.#options = options
    this.#stream = downStream(options.nodeId)
  }

  /** Starts behind what the stream holds now: orders from before were for sockets that are gone. */
  async start(): Promise<void> {
    const [last] = await this.#options.redis.xrevrange(this.#stream, '+', '-', 'COUNT', 1)
    this.#position = last?.[0] ?? '0-0'
    this.#isRunning = true
    this.#loop = this.#read()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#options.reader.disconnect()
    await this.#loop
  }

  async #read(): Promise<void> {
    const { reader, limits, log } = this.#options
    let isFailing = false
    while (this.#isRunning) {
      try {
        const answer = await reader.xreadBuffer(
          'COUNT',
          limits.ordersPerRead,
          'BLOCK',
          limits.readBlockMs,
          'STREAMS',
          this.#stream,
          this.#position,
        )
        isFailing = false
        for (const [, entries] of answer ?? []) await this.#carryOut(entries)
      } catch (error) {
        if (!this.#isRunning) return
        if (!isFailing) log.warn({ err: error }, 'cannot read orders')
        isFailing = true
        await new Promise((resolve) => setTimeout(resolve, limits.appendRetryMs))
      }
    }
  }

  async #carryOut(entries: readonly [Buffer, Buffer[]][]): Promise<void> {
    const { limits, redis, log } = this.#options
    let turn = 0
    for (const [entryId, fields] of entries) {
      this.#position = entryId.toString()
      for (const order of ordersOf(fields, log)) {
        this.#obey(order)
        if (++turn % limits.ordersPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    // What is done need not be kept; if this fails, the stream's own bound holds.
    redis.xdel(this.#stream, ...entries.map(([entryId]) => entryId)).catch(() => {})
  }

  #obey(order: Order): void {
    const { registry, batches, counters, send, close, shards } = this.#options
    const connection = registry.find(order.deviceId)
    if (order.kind === 'close') {
      const isMeant = connection !== undefined && (order.connection ?? connection.number) === connection.number
      if (isMeant) close(connection, order.code, order.reason)
      return
    }
    // Whoever waits for the reply must be known before the device can give it.
    if (order.kind === 'request') this.#options.replies.expect(order)
    const isSent = connection !== undefined && send(connection, order.bytes)
    if (isSent) counters.ordersSent++
    else counters.ordersRefused++
    if (order.kind === 'request') {
      if (!isSent) this.#options.replies.undeliverable(order)
      return
    }
    if (order.commandId === undefined) return
    const { commandId } = order
    if (isSent) {
      batches.sent(connection, commandId, Date.now())
      return
    }
    const device = deviceIdToBytes(order.deviceId.slice(0, 36))
    batches.refused(shardOfBytes(device, shards), device, { commandId, reason: 'not connected' }, Date.now())
  }
}

function ordersOf(fields: readonly Buffer[], log: Log): Order[] {
  try {
    const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === ordersField)
    const value = fields[at + 1]
    return at < 0 || value === undefined ? [] : decodeOrders(value)
  } catch (error) {
    log.error({ err: error }, 'an entry of the order stream cannot be read')
    return []
  }
}
