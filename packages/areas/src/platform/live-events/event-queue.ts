import type { LiveEvent } from '@muster/backplane/live.ts'

const queueMax = 1_000

/** What a watcher gets: events, and `resync` whenever it may have missed some and should read the current state. */
export type Watched = LiveEvent | Resync
interface Resync {
  readonly type: 'resync'
  readonly at: number
}

/**
 * The events that one watcher has not taken yet. Of a device's heartbeats only the newest waits; when too much waits all the
 * same, it is dropped and the watcher told to read anew.
 */
export class EventQueue {
  readonly #accepts: (event: LiveEvent) => boolean
  readonly #waiting = new Map<string, Watched>()
  #count = 0
  #ended = false
  #wake: (() => void) | null = null

  constructor(accepts: (event: LiveEvent) => boolean) {
    this.#accepts = accepts
  }

  push(event: LiveEvent): void {
    if (this.#ended || !this.#accepts(event)) return
    const key = event.type === 'device.heartbeat' ? event.deviceId : `${this.#count++}`
    if (this.#waiting.size >= queueMax && !this.#waiting.has(key)) {
      this.resync(event.at)
      return
    }
    this.#waiting.set(key, event)
    this.#wake?.()
  }

  /** Forgets what waits and tells the watcher that it missed something. */
  resync(at: number): void {
    if (this.#ended) return
    this.#waiting.clear()
    this.#waiting.set('resync', { type: 'resync', at })
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#waiting.clear()
    this.#wake?.()
  }

  /** Takes events until the end. @param left called when the watcher stops taking them */
  async *take(left: () => void): AsyncGenerator<Watched> {
    try {
      while (!this.#ended) {
        const [next] = this.#waiting
        if (next !== undefined) {
          this.#waiting.delete(next[0])
          yield next[1]
          continue
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      left()
    }
  }
}
