import { clockJumpMs } from '../limits.ts'

/**
 * The time for deciding whether an order has expired. Times from ingest are not trusted: it is the machine's clock, or the
 * time that the administration server sent over HTTPS, until the machine's clock is set.
 */
export class OrderClock {
  #server: { serverMs: number; wallMs: number; steadyMs: number } | undefined

  /** Takes the time of the administration server. */
  learn(serverMs: number): void {
    this.#server = { serverMs, wallMs: Date.now(), steadyMs: performance.now() }
  }

  now(): number {
    const wallMs = Date.now()
    if (this.#server === undefined) return wallMs
    const elapsedMs = performance.now() - this.#server.steadyMs
    const wasSet = Math.abs(wallMs - this.#server.wallMs - elapsedMs) > clockJumpMs
    return wasSet ? wallMs : this.#server.serverMs + elapsedMs
  }
}
