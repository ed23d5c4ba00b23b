import { type Arrival, type Hello, ordersRouted } from '@muster/areas/background/arrival.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { arrivalsManyMin, arrivalsManyMs, arrivalsMs, arrivalsWaitingMax } from '../limits.ts'

/**
 * Sends devices that have just connected what the areas have for them. One lookup serves all devices of a short period. While
 * the whole fleet reconnects the period is longer, so that one query serves thousands.
 */
export class Arrivals {
  readonly #arrivals: readonly Arrival[]
  readonly #parts: WorkerParts
  #hellos: Hello[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #nextMs = arrivalsMs

  constructor(arrivals: readonly Arrival[], parts: WorkerParts) {
    this.#arrivals = arrivals
    this.#parts = parts
  }

  /** Beyond a limit, devices are skipped: the sweep sends them their commands. */
  add(hellos: readonly Hello[]): void {
    for (const hello of hellos) {
      if (this.#hellos.length >= arrivalsWaitingMax) break
      this.#hellos.push(hello)
    }
    this.#schedule()
  }

  /** Serves the waiting devices at once, before the worker stops. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#sending
    await this.#send()
  }

  #schedule(): void {
    if (this.#hellos.length === 0 || this.#sending !== undefined) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined
        this.#schedule()
      })
    }, this.#nextMs)
  }

  /** Never rejects: the sweep repeats what fails here. */
  async #send(): Promise<void> {
    const hellos = this.#hellos
    this.#hellos = []
    this.#nextMs = hellos.length >= arrivalsManyMin ? arrivalsManyMs : arrivalsMs
    const { count, log } = this.#parts
    for (const { name, send } of this.#arrivals) {
      try {
        count(ordersRouted, { why: name }, await send(this.#parts, hellos))
      } catch (error) {
        log.warn({ err: error, arrival: name, devices: hellos.length }, 'Connected devices were not served')
      }
    }
  }
}
