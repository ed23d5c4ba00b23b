/** Decides whether something may be logged: once per key and period, for a bounded number of keys. */
export class LogThrottle {
  readonly #lastMs = new Map<string, number>()
  readonly #periodMs: number
  readonly #keysMax: number

  constructor(periodMs: number, keysMax: number) {
    this.#periodMs = periodMs
    this.#keysMax = keysMax
  }

  shouldLog(key: string, nowMs: number): boolean {
    const last = this.#lastMs.get(key)
    if (last !== undefined && nowMs - last < this.#periodMs) return false
    this.#forget(nowMs)
    if (this.#lastMs.size >= this.#keysMax) return false
    this.#lastMs.delete(key)
    this.#lastMs.set(key, nowMs)
    return true
  }

  /** The oldest keys are first, because a key moves to the end when it is logged. */
  #forget(nowMs: number): void {
    for (const [key, last] of this.#lastMs) {
      if (nowMs - last < this.#periodMs) return
      this.#lastMs.delete(key)
    }
  }
}
