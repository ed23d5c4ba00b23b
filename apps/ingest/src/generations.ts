import { decodeGeneration } from '@muster/backplane/generations.ts'
import { generationsChannel, generationsKey, quarantinedGeneration, revokedGeneration } from '@muster/backplane/keys.ts'
import type { Redis, Subscriber } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Limits } from './limits.ts'

export interface GenerationsOptions {
  redis: Redis
  subscriber: Subscriber
  limits: Limits
  log: Log
  /** Called for a device whose minimum generation has changed. */
  onChange: (deviceId: string) => void
  /** Called after a complete reading. */
  onReload: () => void
}

/** The minimum certificate generations. Held in memory, so that a hello needs no lookup. */
export class Generations {
  readonly #options: GenerationsOptions
  #least = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: GenerationsOptions) {
    this.#options = options
  }

  get known(): number {
    return this.#least.size
  }

  /** Why a certificate of this generation is rejected; undefined when it is valid. */
  refusalOf(deviceId: string, generation: number): 'revoked' | 'quarantined' | undefined {
    const least = this.#least.get(deviceId)
    if (least === undefined) return undefined
    if (least === quarantinedGeneration) return 'quarantined'
    return least === revokedGeneration || generation < least ? 'revoked' : undefined
  }

  /** Subscribes, reads everything, and keeps both up to date. */
  async start(): Promise<void> {
    const { subscriber, limits, log } = this.#options
    subscriber.on('messageBuffer', (_channel: Buffer, message: Buffer) => this.#changed(message))
    await subscriber.subscribe(generationsChannel)
    await this.#load()
    const reload = () => {
      this.#load().catch((error: unknown) => log.warn({ err: error }, 'cannot read the certificate generations'))
    }
    this.#timer = setInterval(reload, limits.generationsRefreshMs)
    // Changes published while the subscription was down were missed.
    subscriber.on('ready', reload)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #changed(message: Buffer): void {
    const change = decodeGeneration(message)
    if (change === undefined) return
    this.#least.set(change.deviceId, change.generation)
    this.#options.onChange(change.deviceId)
  }

  async #load(): Promise<void> {
    const { redis, limits, onReload } = this.#options
    const before = this.#least
    const read = new Map<string, number>()
    let cursor = '0'
    do {
      const [next, pairs] = await redis.hscan(generationsKey, cursor, 'COUNT', limits.generationsPerScan)
      for (let index = 0; index + 1 < pairs.length; index += 2) {
        const [deviceId, generation] = [pairs[index], Number(pairs[index + 1])]
        if (deviceId !== undefined && Number.isInteger(generation)) read.set(deviceId, generation)
      }
      cursor = next
    } while (cursor !== '0')
    // An empty hash was lost and will be rebuilt: the known values stay until then.
    if (read.size === 0 && before.size > 0) return
    this.#least = read
    onReload()
  }
}
