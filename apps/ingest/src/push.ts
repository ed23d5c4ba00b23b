import { deviceIdToBytes } from '@muster/backplane/device-id.ts'
import { fieldOf } from '@muster/backplane/entry.ts'
import { downStream, flowField, ordersField } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { type DeliveryOrder, decodeOrders } from '@muster/backplane/routing.ts'
import type { Log } from '@muster/kit/log.ts'
import { emptyHeader, readHeader, WireError } from '@muster/wire/frame.ts'
import { command } from '@muster/wire/messages/command.ts'
import { request } from '@muster/wire/messages/request.ts'
import { settings } from '@muster/wire/messages/settings.ts'
import { signedOrdersProtocol } from '@muster/wire/version.ts'
import type { Batches } from './batches.ts'
import { type CheckedOrder, checkOrder, type FrameOrder } from './check-order.ts'
import type { CommandStops } from './command-stops.ts'
import type { Connection } from './connection.ts'
import type { Counters } from './counters.ts'
import { FairOrders } from './fair-orders.ts'
import type { Limits } from './limits.ts'
import type { LogThrottle } from './log-throttle.ts'
import type { RecentDeliveries } from './recent-deliveries.ts'
import type { Registry } from './registry.ts'
import type { Replies } from './replies.ts'

export interface PushOptions {
  /** Used for the blocking read only. */
  reader: Redis
  redis: Redis
  nodeId: string
  limits: Limits
  log: Log
  registry: Registry
  batches: Batches
  counters: Counters
  replies: Replies
  stops: CommandStops
  delivered: RecentDeliveries
  logThrottle: LogThrottle
  /** End of support for agents that cannot verify signatures: they get no commands after it. */
  unsignedUntilMs: number
  send: (connection: Connection, frame: Uint8Array) => boolean
  close: (connection: Connection, code: number, reason: string) => void
  /** The agent was told another time between heartbeats. */
  interval: (connection: Connection, heartbeatMs: number) => void
}

/** Carries out the orders of other processes for this node's sockets. */
export class Push {
  readonly #options: PushOptions
  readonly #stream: string
  #position = '0-0'
  #isRunning = false
  #loop: Promise<void> = Promise.resolve()
  readonly #waiting = new FairOrders()
  /** Settles when no order is waiting. */
  #drained: Promise<void> | undefined

  constructor(options: PushOptions) {
    this.#options = options
    this.#stream = downStream(options.nodeId)
  }

  /** Starts after the current end of the stream: older orders were for sockets that are gone. */
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
        for (const [, entries] of answer ?? []) this.#take(entries)
        const isFull =
          this.#waiting.size > limits.ordersWaitingMax || this.#waiting.bytes > limits.ordersWaitingBytesMax
        if (isFull) await this.#drained
      } catch (error) {
        if (!this.#isRunning) return
        if (!isFailing) log.warn({ err: error }, 'cannot read orders')
        isFailing = true
        await new Promise((resolve) => setTimeout(resolve, limits.appendRetryMs))
      }
    }
  }

  #take(entries: readonly [Buffer, Buffer[]][]): void {
    for (const [entryId, fields] of entries) {
      this.#position = entryId.toString()
      const flow = fieldOf(fields, flowField)?.toString() ?? ''
      const bytes = fieldOf(fields, ordersField) ?? Buffer.alloc(0)
      this.#waiting.add(flow, entryId, ordersOf(bytes, this.#options.log), bytes.length)
    }
    this.#drained ??= this.#drain()
  }

  /** Runs waiting orders, each flow in turn, and yields to other sockets between slices. */
  async #drain(): Promise<void> {
    const { limits, redis } = this.#options
    // Yields first: the caller has to store this promise before it can settle.
    await Promise.resolve()
    for (let isMore = true; isMore; ) {
      const done = this.#waiting.take(limits.ordersPerTurn, limits.ordersPerShare, (order, flow) =>
        this.#obey(order, flow),
      )
      // Finished entries need not be kept; if this fails, the stream's own maximum length applies.
      if (done.length > 0) redis.xdel(this.#stream, ...done).catch(() => {})
      isMore = this.#waiting.size > 0
      if (isMore) await new Promise((resolve) => setImmediate(resolve))
    }
    this.#drained = undefined
  }

  #obey(order: DeliveryOrder, flow: string): void {
    const { registry, counters, close } = this.#options
    const connection = registry.find(order.deviceId)
    if (order.kind === 'close') {
      const isMeant = connection !== undefined && (order.connection ?? connection.number) === connection.number
      if (isMeant) close(connection, order.code, order.reason)
      return
    }
    const judged = checkOrder(order)
    if (judged === undefined) {
      counters.ordersUnfit++
      const { log, logThrottle } = this.#options
      const { kind, deviceId } = order
      if (logThrottle.shouldLog('unfit order', Date.now()))
        log.error({ kind, deviceId }, 'refused an invalid order; check which process wrote it to Redis')
      return
    }
    if (isCommand(judged) && this.#options.stops.withhold(flow)) {
      counters.ordersWithheld++
      // The command stays queued and is sent when allowed.
      if (order.kind === 'request') this.#options.replies.undeliverable(order, 'withheld')
      return
    }
    this.#hand(order, judged, connection)
  }

  #hand(order: FrameOrder, judged: CheckedOrder, connection: Connection | undefined): void {
    const { counters, send } = this.#options
    const isOld = connection !== undefined && connection.protocol < signedOrdersProtocol
    if (isOld && isCommand(judged) && this.#isOver()) {
      this.#refuseOutdated(order)
      return
    }
    const bytes = isOld ? judged.plain : order.bytes
    if (order.kind === 'frame' && order.commandId !== undefined) {
      this.#deliver(order.commandId, { ...order, bytes }, connection)
      return
    }
    if (connection !== undefined && judged.type === settings.type) this.#noteInterval(judged, connection)
    // The request has to be registered before the device can reply.
    if (order.kind === 'request') this.#options.replies.expect(order)
    const isSent = connection !== undefined && send(connection, bytes)
    if (isSent) counters.ordersSent++
    else counters.ordersRefused++
    if (order.kind === 'request' && !isSent) this.#options.replies.undeliverable(order, 'offline')
  }

  #noteInterval({ plain }: CheckedOrder, connection: Connection): void {
    try {
      const { heartbeatMs } = settings.read(plain, readHeader(plain, emptyHeader())).body
      if (heartbeatMs !== undefined) this.#options.interval(connection, heartbeatMs)
    } catch (error) {
      // The agent drops a frame that it cannot read, too.
      if (!(error instanceof WireError)) throw error
    }
  }

  /** Whether support for agents that cannot verify signatures has ended. */
  #isOver(): boolean {
    return Date.now() >= this.#options.unsignedUntilMs
  }

  #refuseOutdated(order: FrameOrder): void {
    const { batches, counters, replies } = this.#options
    counters.ordersOutdated++
    if (order.kind === 'request') replies.undeliverable(order, 'outdated')
    else if (order.commandId !== undefined) {
      const device = deviceIdToBytes(order.deviceId)
      batches.refused(device, { commandId: order.commandId, reason: 'AGENT_TOO_OLD' }, Date.now())
    }
  }

  #deliver(
    commandId: string,
    { deviceId, bytes }: DeliveryOrder & { kind: 'frame' },
    connection: Connection | undefined,
  ): void {
    const { batches, counters, delivered, send } = this.#options
    const isRepeated = connection !== undefined && delivered.has(commandId, connection.number)
    if (isRepeated) counters.ordersRepeated++
    else if (connection !== undefined && send(connection, bytes)) {
      counters.ordersSent++
      delivered.add(commandId, connection.number)
    } else {
      counters.ordersRefused++
      const device = deviceIdToBytes(deviceId.slice(0, 36))
      batches.refused(device, { commandId, reason: 'not connected' }, Date.now())
      return
    }
    batches.sent(connection, commandId, Date.now())
  }
}

const isCommand = ({ type }: CheckedOrder): boolean => type === request.type || type === command.type

function ordersOf(bytes: Buffer, log: Log): DeliveryOrder[] {
  try {
    return bytes.length === 0 ? [] : decodeOrders(bytes)
  } catch (error) {
    log.error({ err: error }, 'an entry of the order stream cannot be read')
    return []
  }
}
