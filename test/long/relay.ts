// A network path between agents and server that can be made slow, cut, or silent in both directions.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Relays connections to a local port. */
export class Relay {
  readonly #server
  readonly #sockets = new Set<Socket>()
  #delay = () => 0
  #isSilent = false

  private constructor(target: number) {
    this.#server = createServer((from) => {
      const to = connect(target, '127.0.0.1')
      this.#pass(from, to)
      this.#pass(to, from)
    })
  }

  static async open(target: number): Promise<Relay> {
    const relay = new Relay(target)
    await once(relay.#server.listen(0, '127.0.0.1'), 'listening')
    return relay
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Delays every chunk by this time, in order. */
  slow(leastMs: number, mostMs: number): void {
    this.#delay = () => leastMs + Math.random() * (mostMs - leastMs)
  }

  /** Drops all data without closing connections. */
  silence(isSilent: boolean): void {
    this.#isSilent = isSilent
  }

  /** Resets every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    let dueMs = 0
    from.on('data', (bytes) => {
      if (this.#isSilent) return
      const delayMs = this.#delay()
      dueMs = Math.max(dueMs, performance.now() + delayMs)
      if (delayMs === 0) to.write(bytes)
      else setTimeout(() => to.writable && to.write(bytes), dueMs - performance.now())
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      this.#sockets.delete(from)
      if (!this.#isSilent) to.destroy()
    })
  }
}
