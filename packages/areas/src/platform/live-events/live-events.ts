// Live events of this process: one Redis connection for everybody who watches, and a bounded queue for each of them.

import { liveChannel } from '@muster/backplane/keys.ts'
import { decodeLive, type LiveEvent } from '@muster/backplane/live.ts'
import { type Redis, type Subscriber, subscriberBeside } from '@muster/backplane/redis.ts'
import { unavailable } from '@muster/kit/errors.ts'
import { service } from '../../services.ts'
import { EventQueue, type Watched } from './event-queue.ts'

const everyChannel = liveChannel('*')
const subscribeMs = 3_000

export interface Watch {
  /** Null watches all partners, for system scope. */
  readonly partnerId: string | null
  readonly signal: AbortSignal
  accepts(event: LiveEvent): boolean
  /** Is given the way to tell the watcher to read the current state anew, because what it may see is not what it was. */
  readonly begins?: (anew: () => void) => void
}

/** Hands on what workers and other processes publish. Connects when somebody first watches, and ends with the connection it was made from. */
export class LiveEvents {
  readonly #origin: Redis
  readonly #queues = new Map<string, Set<EventQueue>>()
  #connection: Subscriber | null = null

  /** @param origin the process's connection for commands, whose address the second one takes */
  constructor(origin: Redis) {
    this.#origin = origin
  }

  /**
   * Watches from the moment the promise resolves: nothing published afterwards is missed without a `resync`.
   * @throws UNAVAILABLE when Redis cannot be reached
   */
  async watch({ partnerId, signal, accepts, begins }: Watch): Promise<AsyncGenerator<Watched>> {
    const channel = partnerId === null ? everyChannel : liveChannel(partnerId)
    const queue = new EventQueue(accepts)
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

  #leave(channel: string, queue: EventQueue): void {
    const queues = this.#queues.get(channel)
    if (queues?.delete(queue) !== true || queues.size > 0) return
    this.#queues.delete(channel)
    // Failing is harmless: what comes for nobody is dropped, and a lost connection has no subscriptions.
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

export const liveEventsOf = service(({ redis }) => new LiveEvents(redis))
