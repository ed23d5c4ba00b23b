import { tooMany } from '@muster/kit/errors.ts'
import { originOf } from '@muster/kit/network/addresses.ts'
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

const burstSeconds = 5

/**
 * Limits the requests of each address in this process. The counts are in memory and cost no request to Redis. Limits that
 * have to be exact across processes are in `Limits`.
 */
export class FloodLimit {
  readonly #perSecond: number
  readonly #steady: RateLimiterMemory
  readonly #burst: RateLimiterMemory
  readonly #both: BurstyRateLimiter

  /** @param perSecond 0 sets no limit */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#steady = new RateLimiterMemory({ points: perSecond, duration: 1 })
    this.#burst = new RateLimiterMemory({ points: perSecond * (burstSeconds - 1), duration: burstSeconds })
    this.#both = new BurstyRateLimiter(this.#steady, this.#burst)
  }

  /**
   * @returns the header RateLimit with the remaining requests; null without a limit
   * @throws RATE_LIMITED when the address has exceeded the limit
   */
  async take(ip: string): Promise<string | null> {
    if (this.#perSecond === 0) return null
    const origin = originOf(ip)
    try {
      await this.#both.consume(origin)
    } catch (error) {
      if (error instanceof RateLimiterRes) throw tooMany(1)
      throw error
    }
    const [steady, burst] = await Promise.all([this.#steady.get(origin), this.#burst.get(origin)])
    const left = (steady?.remainingPoints ?? this.#perSecond) + (burst?.remainingPoints ?? this.#burst.points)
    const resetMs = Math.max(steady?.msBeforeNext ?? 0, burst?.msBeforeNext ?? 0)
    return `"address";r=${left};t=${Math.ceil(resetMs / 1_000)}`
  }

  /** The header RateLimit-Policy: the burst of an idle address, and the seconds in which it is restored. */
  get policy(): string {
    return `"address";q=${this.#perSecond * burstSeconds};w=${burstSeconds}`
  }
}
