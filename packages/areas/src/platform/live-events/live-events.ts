// Live events in this process: one Redis connection for all watchers, and a bounded queue for each.

import { liveChannel } from '@muster/backplane/keys.ts'
import { decodeLive, type LiveEvent } from '@muster/backplane/live.ts'
import { type Redis, type Subscriber, subscriberBeside } from '@muster/backplane/redis.ts'
import { unavailable } from '@muster/kit/errors.ts'
import type { z } from 'zod'
import { service } from '../../services.ts'
import type { EventKind } from './event.contract.ts'
import { EventQueue, type Resync } from './event-queue.ts'

const everyChannel = liveChannel('*')
const subscribeMs = 3_000

/** An event of one of the kinds as it was published. Fields other than type and subject are not checked yet. */
export type EventOf<Kind extends EventKind> = LiveEvent & z.output<Kind['schema']>
export type WatchedEvent<Kind extends EventKind> = EventOf<Kind> | Resync

export interface Watch<Kind extends EventKind> {
  /** Events of other kinds are skipped. */
  readonly kinds: readonly Kind[]
  /** Null watches all partners, for system scope. */
  readonly partnerId: string | null
  readonly signal: AbortSignal
  accepts(event: EventOf<Kind>): boolean
  /** Receives a function that sends the watcher `resync`, for when its reach changed. */
  readonly begins?: (resync: () => void) => void
}

/** The queue of a watcher of any kinds. */
type Receiver = Pick<EventQueue, 'push' | 'resync'>

/** Passes on what workers and other processes publish. Connects at the first watch; ends with the connection it was made from. */
export class LiveEvents {
  readonly #origin: Redis
  readonly #queues = new Map<string, Set<Receiver>>()
  #connection: Subscriber | null = null

  /** @param origin the process's connection for commands, whose address the second one takes */
  constructor(origin: Redis) {
    this.#origin = origin
  }

  /**
   * Watches from the moment the promise resolves: an event published later is received, or `resync` is.
   * @throws UNAVAILABLE when Redis cannot be reached
   */
  async watch<Kind extends EventKind>(watch: Watch<Kind>): Promise<AsyncGenerator<WatchedEvent<Kind>>> {
    const { partnerId, signal, begins } = watch
    const channel = partnerId === null ? everyChannel : liveChannel(partnerId)
    const queue = queueFor(watch)
    const leave = () => {
      signal.removeEventListener('abort', leave)
      queue.end()
      this.#leave(channel, queue)
    }
    this.#queues.set(channel, (this.#queues.get(channel) ?? new Set()).add(queue))
    try {
      await this.#subscribe(channel)
    } catch (cause) {
      leave()
      throw unavailable('Live events are not available at the moment', 1, cause)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
    begins?.(() => queue.resync(Date.now()))
    return queue.take(leave)
  }

  #leave(channel: string, queue: Receiver): void {
    const queues = this.#queues.get(channel)
    if (queues?.delete(queue) !== true || queues.size > 0) return
    this.#queues.delete(channel)
    // A failure is harmless: events without a watcher are dropped, and a lost connection has no subscriptions.
    const connection = this.#connection
    void (channel === everyChannel ? connection?.punsubscribe(channel) : connection?.unsubscribe(channel))?.catch(
      () => undefined,
    )
  }

  async #subscribe(channel: string): Promise<void> {
    this.#connection ??= this.#connect()
    const connection = this.#connection
    await (channel === everyChannel ? connection.psubscribe(channel) : connection.subscribe(channel))
  }

  #connect(): Subscriber {
    const connection = subscriberBeside(this.#origin, 'live', subscribeMs)
    let interrupted = false
    connection.on('close', () => {
      interrupted = true
    })
    connection.on('ready', () => {
      if (!interrupted) return
      interrupted = false
      for (const queues of this.#queues.values()) for (const queue of queues) queue.resync(Date.now())
    })
    connection.on('messageBuffer', (channel: Buffer, message: Buffer) => this.#hand(channel.toString(), message))
    connection.on('pmessageBuffer', (pattern: string | Buffer, _channel: Buffer, message: Buffer) =>
      this.#hand(pattern.toString(), message),
    )
    return connection
  }

  #hand(channel: string, message: Buffer): void {
    const queues = this.#queues.get(channel)
    if (queues === undefined) return
    const events = decodeLive(message)
    for (const queue of queues) for (const event of events) queue.push(event)
  }
}

/** The queue of a watcher. Our own processes publish the events, so only type and subject are checked here. */
function queueFor<Kind extends EventKind>({ kinds, accepts }: Watch<Kind>): EventQueue<EventOf<Kind>> {
  const byName = new Map<string, EventKind>(kinds.map((kind) => [kind.name, kind]))
  const isOfKinds = (event: LiveEvent): event is EventOf<Kind> => {
    const kind = byName.get(event.type)
    return kind !== undefined && typeof event[kind.subject.id] === 'string'
  }
  return new EventQueue(
    (event): event is EventOf<Kind> => isOfKinds(event) && accepts(event),
    (event) => {
      const kind = byName.get(event.type)
      return kind?.newestOnly === true ? `${kind.name} ${event[kind.subject.id]}` : undefined
    },
  )
}

export const liveEventsOf = service(({ redis }) => new LiveEvents(redis))
