import type { OrderSigner } from '@muster/areas/control/commands/delivery/order-signer.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import { arrivalsManyMin, arrivalsManyMs, arrivalsMs, arrivalsPerLookup, arrivalsWaitingMax } from './limits.ts'
import type { WorkerMetrics } from './metrics.ts'
import { routeOpenCommands } from './pending-commands.ts'
import { type Hello, renewCertificates } from './renewals.ts'

export interface ArrivalParts {
  pool: pg.Pool
  redis: Redis
  keyring: Keyring
  signer: OrderSigner
  metrics: WorkerMetrics
  log: Log
}

/**
 * Devices that have just connected get what waits for them. It is looked up for all together that came within a moment;
 * while a whole fleet comes back the moment is longer, so that the database is asked for thousands at once.
 */
export class Arrivals {
  readonly #parts: ArrivalParts
  #agents = new Set<string>()
  #hellos: Hello[] = []
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #nextMs = arrivalsMs

  constructor(parts: ArrivalParts) {
    this.#parts = parts
  }

  /** Beyond a bound the sweep finds what waits for them. */
  came(hellos: readonly Hello[]): void {
    for (const hello of hellos) {
      if (this.#hellos.length >= arrivalsWaitingMax) break
      this.#hellos.push(hello)
      if (hello.body.role === 'agent') this.#agents.add(hello.deviceId)
    }
    this.#schedule()
  }

  /** Looks up at once what waits; for one that stops. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#looking
    await this.#look()
  }

  #schedule(): void {
    if (this.#hellos.length === 0 || this.#looking !== undefined) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined
        this.#schedule()
      })
    }, this.#nextMs)
  }

  /** Never rejects: what is missed here is found by the sweep. */
  async #look(): Promise<void> {
    const { metrics, log } = this.#parts
    const agents = [...this.#agents]
    const hellos = this.#hellos
    this.#agents = new Set()
    this.#hellos = []
    this.#nextMs = hellos.length >= arrivalsManyMin ? arrivalsManyMs : arrivalsMs
    try {
      for (let start = 0; start < agents.length; start += arrivalsPerLookup) {
        const commands = await routeOpenCommands(this.#parts, agents.slice(start, start + arrivalsPerLookup))
        metrics.ordersRouted.inc({ why: 'connected' }, commands)
      }
      metrics.ordersRouted.inc({ why: 'certificate' }, await renewCertificates(this.#parts, hellos))
    } catch (error) {
      log.warn({ err: error, devices: hellos.length }, 'what waits for connected devices was not sent')
    }
  }
}
