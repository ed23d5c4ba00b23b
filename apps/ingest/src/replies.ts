import type { Redis } from '@muster/backplane/redis.ts'
import { publishReply, type Undelivered } from '@muster/backplane/replies.ts'
import type { DeliveryOrder } from '@muster/backplane/routing.ts'

export type RequestOrder = Extract<DeliveryOrder, { kind: 'request' }>

interface Expected {
  replyTo: string
  tick: number
}

/**
 * Which process waits for which reply of which device. A reply is forwarded to the process that asked: it is not durable,
 * and the process waits no longer than for an HTTP response.
 */
export class Replies {
  readonly #redis: Redis
  readonly #max: number
  readonly #expected = new Map<string, Expected>()
  #tick = 0

  constructor(redis: Redis, max: number) {
    this.#redis = redis
    this.#max = max
  }

  get size(): number {
    return this.#expected.size
  }

  expect({ deviceId, number, replyTo }: RequestOrder): void {
    if (this.#expected.size >= this.#max) {
      const oldest = this.#expected.keys().next()
      if (!oldest.done) this.#expected.delete(oldest.value)
    }
    this.#expected.set(keyOf(deviceId, number), { replyTo, tick: this.#tick })
  }

  /** Forwards a reply; false when no process waits for it. */
  pass(deviceId: string, number: number, frame: Uint8Array): boolean {
    const key = keyOf(deviceId, number)
    const expected = this.#expected.get(key)
    if (expected === undefined) return false
    this.#expected.delete(key)
    // Not kept: if Redis does not accept it, the requester gets a timeout.
    publishReply(this.#redis, expected.replyTo, { deviceId, number, reply: frame }).catch(() => undefined)
    return true
  }

  undeliverable({ deviceId, number, replyTo }: RequestOrder, why: Undelivered): void {
    this.#expected.delete(keyOf(deviceId, number))
    publishReply(this.#redis, replyTo, { deviceId, number, reply: why }).catch(() => undefined)
  }

  /** Forgets requests that were never answered: at the third call after they were added. */
  forget(): void {
    for (const [key, { tick }] of this.#expected) {
      if (tick > this.#tick - 2) break
      this.#expected.delete(key)
    }
    this.#tick++
  }
}

const keyOf = (deviceId: string, number: number) => `${deviceId} ${number}`
