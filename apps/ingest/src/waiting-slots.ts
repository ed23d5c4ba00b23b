import { isIP } from 'node:net'
import { isWithin, originOf } from '@muster/kit/network/addresses.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'

/**
 * Slots for sockets that have not proved their identity yet. They are few, so no origin (an IPv4 address or an IPv6 /64)
 * holds more than a quarter: a host that opens silent sockets leaves room for the agents of all others.
 */
export class WaitingSlots {
  readonly #limits: Limits
  readonly #share: number
  readonly #origins = new Map<Connection, string>()
  readonly #held = new Map<string, number>()

  constructor(limits: Limits) {
    this.#limits = limits
    this.#share = Math.max(1, Math.floor(limits.waitingMax / 4))
  }

  get size(): number {
    return this.#origins.size
  }

  /** Whether all slots are taken. */
  get isFull(): boolean {
    return this.size >= this.#limits.waitingMax
  }

  /** Whether an origin holds its maximum. */
  isShareTaken(origin: string): boolean {
    return this.#heldBy(origin) >= this.#share
  }

  take(connection: Connection, origin: string): void {
    this.#origins.set(connection, origin)
    this.#held.set(origin, this.#heldBy(origin) + 1)
  }

  /** The origin of a connection that holds a slot; empty for others. */
  originOf(connection: Connection): string {
    return this.#origins.get(connection) ?? ''
  }

  /** Releases the connection's slot, if it holds one. */
  release(connection: Connection): void {
    const origin = this.#origins.get(connection)
    if (origin === undefined) return
    this.#origins.delete(connection)
    const left = this.#heldBy(origin) - 1
    if (left > 0) this.#held.set(origin, left)
    else this.#held.delete(origin)
  }

  /** How long the connection may take to send its hello: less when half of all slots, or of its origin's share, are taken. */
  helloMs(connection: Connection): number {
    const { waitingMax, helloMs, helloPressedMs } = this.#limits
    const origin = this.#origins.get(connection)
    const ofOrigin = origin === undefined ? 0 : this.#heldBy(origin)
    return this.size * 2 > waitingMax || ofOrigin * 2 > this.#share ? Math.min(helloMs, helloPressedMs) : helloMs
  }

  visit(each: (connection: Connection) => void): void {
    this.#origins.forEach((_origin, connection) => {
      each(connection)
    })
  }

  connections(): IterableIterator<Connection> {
    return this.#origins.keys()
  }

  #heldBy(origin: string): number {
    return this.#held.get(origin) ?? 0
  }
}

/**
 * The origin of an upgrade: the peer, or the last untrusted entry of X-Forwarded-For when the peer is a trusted proxy.
 * @param trusted addresses and networks of proxies
 */
export function originOfUpgrade(peer: string, forwarded: string, trusted: readonly string[]): string {
  let address = peer
  if (trusted.length > 0) {
    const hops = forwarded.split(',')
    while (isWithin(address, trusted)) {
      const hop = hops.pop()?.trim() ?? ''
      if (isIP(hop) === 0) break
      address = hop
    }
  }
  return originOf(address)
}
