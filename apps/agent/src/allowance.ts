export interface Rates {
  framesBurst: number
  framesPerSecond: number
  bytesBurst: number
  bytesPerSecond: number
}

/** Limits what is sent, below the server's limit, so that the server need not close the socket for a flood. */
export class Allowance {
  readonly #rates: Rates
  readonly #now: () => number
  #frames: number
  #bytes: number
  #at: number

  constructor(rates: Rates, now: () => number) {
    this.#rates = rates
    this.#now = now
    this.#frames = rates.framesBurst
    this.#bytes = rates.bytesBurst
    this.#at = now()
  }

  /** Takes one frame of `bytes` if the allowance permits. A frame larger than any burst only needs a full one. */
  take(bytes: number): boolean {
    this.#refill()
    const needed = Math.min(bytes, this.#rates.bytesBurst)
    if (this.#frames < 1 || this.#bytes < needed) return false
    this.#frames--
    this.#bytes -= needed
    return true
  }

  /** Whether more than half is left, so that frames of low priority may be sent. */
  get isAmple(): boolean {
    this.#refill()
    return this.#frames > this.#rates.framesBurst / 2 && this.#bytes > this.#rates.bytesBurst / 2
  }

  #refill(): void {
    const now = this.#now()
    const seconds = (now - this.#at) / 1000
    this.#at = now
    this.#frames = Math.min(this.#rates.framesBurst, this.#frames + seconds * this.#rates.framesPerSecond)
    this.#bytes = Math.min(this.#rates.bytesBurst, this.#bytes + seconds * this.#rates.bytesPerSecond)
  }
}
