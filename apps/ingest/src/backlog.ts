import { update } from '@muster/wire/messages/update.ts'
import { typeIn } from './check-order.ts'
import type { Connection } from './connection.ts'

interface Slow {
  bytes: number
  /** The newest update offer. It is sent when the agent has read the frames before it. */
  offer: Uint8Array | undefined
}

/**
 * Bytes sent to agents that they have not read yet. Only slow agents are kept here, so a fleet that reads costs
 * nothing. The backlog is bounded per socket and for all sockets together.
 */
export class Backlog {
  readonly #each: number
  readonly #all: number
  readonly #slow = new Map<Connection, Slow>()
  #bytes = 0

  constructor({ backlogBytesMax, backlogsBytesMax }: { backlogBytesMax: number; backlogsBytesMax: number }) {
    this.#each = backlogBytesMax
    this.#all = backlogsBytesMax
  }

  /** Backlog of all slow sockets. */
  get bytes(): number {
    return this.#bytes
  }

  /** Holds back an offer for a slow agent and replaces an older one; false when the frame must be sent now. */
  holdBack(connection: Connection, frame: Uint8Array): boolean {
    const slow = this.#slow.size === 0 ? undefined : this.#slow.get(connection)
    if (slow === undefined || typeIn(frame) !== update.type) return false
    this.#bytes += frame.length - (slow.offer?.length ?? 0)
    // Copied, because the frame is a view that would keep a larger buffer alive.
    slow.offer = Uint8Array.from(frame)
    return true
  }

  /** Records the backlog of a socket. Returns the connection to close to stay within the bounds. */
  note(connection: Connection, bytes: number): Connection | undefined {
    const slow = this.#slow.get(connection) ?? { bytes: 0, offer: undefined }
    this.#slow.set(connection, slow)
    this.#bytes += bytes - slow.bytes
    slow.bytes = bytes
    if (bytes > this.#each) return connection
    return this.#bytes > this.#all ? this.#largest() : undefined
  }

  /** The socket is drained or closed. Returns the offer that was held back. */
  settle(connection: Connection): Uint8Array | undefined {
    const slow = this.#slow.get(connection)
    if (slow === undefined) return undefined
    this.#slow.delete(connection)
    this.#bytes -= slow.bytes + (slow.offer?.length ?? 0)
    return slow.offer
  }

  #largest(): Connection | undefined {
    let found: Connection | undefined
    let most = -1
    for (const [connection, { bytes }] of this.#slow) {
      if (bytes <= most) continue
      found = connection
      most = bytes
    }
    return found
  }
}
