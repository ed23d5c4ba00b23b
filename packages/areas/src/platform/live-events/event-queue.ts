import type { LiveEvent } from '@muster/backplane/live.ts'

const queueMax = 1_000

/** Sent in place of events that a watcher missed: it has to read the current state. */
export interface Resync {
  readonly type: 'resync'
  readonly at: number
}

/**
 * The events that one watcher has not taken yet. An event with a key replaces a waiting one with the same key. When too many
 * wait, all are dropped and the watcher gets `resync`.
 */
export class EventQueue<Event extends LiveEvent = LiveEvent> {
  readonly #accepts: (event: LiveEvent) => event is Event
  readonly #keyOf: (event: Event) => string | undefined
  readonly #waiting = new Map<string, Event | Resync>()
  #count = 0
  #ended = false
  #wake: (() => void) | null = null

  /** @param keyOf the key of events of which only the newest counts */
  constructor(accepts: (event: LiveEvent) => event is Event, keyOf: (event: Event) => string | undefined) {
    this.#accepts = accepts
    this.#keyOf = keyOf
  }

  push(event: LiveEvent): void {
    if (this.#ended || !this.#accepts(event)) return
    const key = this.#keyOf(event) ?? `${this.#count++}`
    if (this.#waiting.size >= queueMax && !this.#waiting.has(key)) {
      this.resync(event.at)
      return
    }
    this.#waiting.set(key, event)
    this.#wake?.()
  }

  /** Drops the waiting events and sends `resync` instead. */
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
  async *take(left: () => void): AsyncGenerator<Event | Resync> {
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
