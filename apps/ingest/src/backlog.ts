import { update } from '@muster/wire/messages/update.ts'
import type { Connection } from './connection.ts'
import { typeIn } from './judge-order.ts'

interface Slow {
  bytes: number
  /** The newest offer of an update: it goes out when the agent has read what is before it. */
  offer: Uint8Array | undefined
}

/**
 * What agents have been sent and have not read yet. Only those that are behind are kept here, so a fleet that reads
 * costs nothing; how much may wait is bounded for each socket and for all of them together.
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

  /** All that waits in front of slow sockets. */
  get bytes(): number {
    return this.#bytes
  }

  /** Keeps back an offer for an agent that is behind, in place of an older one; false for what has to be sent now. */
  keepsBack(connection: Connection, frame: Uint8Array): boolean {
    const slow = this.#slow.size === 0 ? undefined : this.#slow.get(connection)
    if (slow === undefined || typeIn(frame) !== update.type) return false
    this.#bytes += frame.length - (slow.offer?.length ?? 0)
    // A copy: the frame is part of something larger, which would be kept with it.
    slow.offer = Uint8Array.from(frame)
    return true
  }

  /** Notes how many bytes wait in front of a socket. Returns the connection that has to go to keep within the bounds. */
  note(connection: Connection, bytes: number): Connection | undefined {
    const slow = this.#slow.get(connection) ?? { bytes: 0, offer: undefined }
    this.#slow.set(connection, slow)
    this.#bytes += bytes - slow.bytes
    slow.bytes = bytes
    if (bytes > this.#each) return connection
    return this.#bytes > this.#all ? this.#largest() : undefined
  }

  /** The socket has taken everything, or is gone. Returns the offer that was kept back. */
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
