/** Devices that are refused for a while because they flooded. */
export class Penalties {
  readonly #until = new Map<string, number>()
  readonly #durationMs: number
  readonly #max: number

  constructor(durationMs: number, max: number) {
    this.#durationMs = durationMs
    this.#max = max
  }

  add(deviceId: string, nowMs: number): void {
    if (this.#until.size >= this.#max) {
      const oldest = this.#until.keys().next()
      if (!oldest.done) this.#until.delete(oldest.value)
    }
    this.#until.set(deviceId, nowMs + this.#durationMs)
  }

  isServing(deviceId: string, nowMs: number): boolean {
    const until = this.#until.get(deviceId)
    if (until === undefined) return false
    if (nowMs < until) return true
    this.#until.delete(deviceId)
    return false
  }
}
