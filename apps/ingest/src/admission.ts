/** Lets new sockets in at a bounded rate, before anything expensive is done for them. */
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

  /** Takes a place; false when the rate is used up. At most one second's worth may come at once. */
  take(nowMs: number): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#tokens = Math.min(this.#perSecond, this.#tokens + (elapsedMs * this.#perSecond) / 1000)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /**
   * Seconds after which a refused one should ask again, drawn over a window that grows with how many were refused. Agents add
   * up to as much again: together that is twice the time in which so many are let in.
   */
  retryAfterSeconds(nowMs: number): number {
    this.#refusedLately *= 0.5 ** (Math.max(0, nowMs - this.#refusedAtMs) / 5_000)
    this.#refusedAtMs = nowMs
    this.#refusedLately++
    const window = Math.min(120, 1 + this.#refusedLately / this.#perSecond)
    return Math.max(1, Math.ceil(Math.random() * window))
  }
}
