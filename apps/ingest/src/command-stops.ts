// The emergency stop in the gateway, the last check before a command reaches its device.
import { readCommandStops } from '@muster/backplane/command-stops.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'

interface Options {
  readonly redis: Redis
  readonly log: Log
  readonly pollMs: number
  /** Older readings are not used. */
  readonly staleMs: number
}

/** Whether commands may pass. When the state is unknown, they may not. */
export class CommandStops {
  readonly #options: Options
  #all = true
  #partners: ReadonlySet<string> = new Set()
  #readAtMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #isStopped = false

  constructor(options: Options) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#read()
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), this.#options.pollMs)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** @param partnerId the partner whose command it is; '' when unknown */
  withhold(partnerId: string): boolean {
    if (this.#all || performance.now() - this.#readAtMs > this.#options.staleMs) return true
    return this.#partners.has(partnerId) || (partnerId === '' && this.#partners.size > 0)
  }

  async #read(): Promise<void> {
    const { redis, log } = this.#options
    const askedAtMs = performance.now()
    try {
      const stops = await readCommandStops(redis)
      this.#all = stops?.all ?? true
      this.#partners = new Set(stops?.partnerIds)
      this.#readAtMs = askedAtMs
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'cannot read the emergency stop from Redis; commands are held back')
      this.#isFailing = true
    }
  }
}
