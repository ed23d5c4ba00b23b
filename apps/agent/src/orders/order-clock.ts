import { clockJumpMs } from '../limits.ts'

/**
 * What time it is, for deciding whether an order has expired. Ingest's word counts for nothing: it is the machine's own
 * clock, or what the administration server has said over HTTPS, for as long as nobody sets the machine's clock.
 */
export class OrderClock {
  #told: { serverMs: number; wallMs: number; steadyMs: number } | undefined

  /** The administration server has said so. */
  learn(serverMs: number): void {
    this.#told = { serverMs, wallMs: Date.now(), steadyMs: performance.now() }
  }

  now(): number {
    const wallMs = Date.now()
    if (this.#told === undefined) return wallMs
    const elapsedMs = performance.now() - this.#told.steadyMs
    const wasSet = Math.abs(wallMs - this.#told.wallMs - elapsedMs) > clockJumpMs
    return wasSet ? wallMs : this.#told.serverMs + elapsedMs
  }
}
