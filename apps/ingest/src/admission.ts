/** Admits new sockets at a bounded rate, before any expensive work is done for them. */
export class Admission {
  readonly #perSecond: number
  #tokens: number
  #atMs: number
  #refusedAtMs = 0
  #refusedLately = 0

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#atMs = nowMs
  }

  /** Takes a token; false when the rate is used up. At most one second's worth is available at once. */
  take(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#tokens = Math.min(this.#perSecond, this.#tokens + (elapsedMs * this.#perSecond) / 1000)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /**
   * Seconds after which a refused agent should retry, drawn from a window that grows with the number of refusals. Agents add
   * up to the same again, so the window is twice the time needed to admit that many.
   */
  retryAfterSeconds(nowMs: number): number {
    this.#refusedLately *= 0.5 ** (Math.max(0, nowMs - this.#refusedAtMs) / 5_000)
    this.#refusedAtMs = nowMs
    this.#refusedLately++
    const window = Math.min(120, 1 + this.#refusedLately / this.#perSecond)
    return Math.max(1, Math.ceil(Math.random() * window))
  }
}
