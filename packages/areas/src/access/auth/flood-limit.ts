import { originOf } from '@muster/kit/addresses.ts'
import type { Clock } from '@muster/kit/clock.ts'
import { tooMany } from '@muster/kit/errors.ts'

const originsMax = 50_000
const burstSeconds = 5

/**
 * How many requests one address may make of this process. It keeps no count outside the process and asks nobody, so it
 * costs nothing; what has to be exact over all processes is counted in Redis (`Limits`).
 */
export class FloodLimit {
  readonly #perSecond: number
  readonly #clock: Clock
  readonly #buckets = new Map<string, { left: number; at: number }>()

  /** @param perSecond 0 sets no limit */
  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond
    this.#clock = clock
  }

  /**
   * @returns what is left, as the header RateLimit says it; null without a limit
   * @throws RATE_LIMITED when the address has used what it may use
   */
  take(ip: string): string | null {
    if (this.#perSecond === 0) return null
    const origin = originOf(ip)
    const now = this.#clock.now()
    const most = this.#perSecond * burstSeconds
    const bucket = this.#buckets.get(origin)
    if (bucket === undefined) {
      this.#makeRoom(now)
      this.#buckets.set(origin, { left: most - 1, at: now })
      return `"address";r=${most - 1};t=1`
    }
    bucket.left = Math.min(most, bucket.left + (Math.max(0, now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.left < 1) throw tooMany(1)
    bucket.left -= 1
    return `"address";r=${Math.trunc(bucket.left)};t=${Math.ceil((most - bucket.left) / this.#perSecond)}`
  }

  /** The limit as the header RateLimit-Policy says it: what an idle address may send at once, and until when that comes back. */
  get policy(): string {
    return `"address";q=${this.#perSecond * burstSeconds};w=${burstSeconds}`
  }

  /** Addresses that have been quiet for a while are full again, so forgetting them changes nothing. */
  #makeRoom(now: number): void {
    if (this.#buckets.size < originsMax) return
    for (const [origin, { at }] of this.#buckets) if (now - at > burstSeconds * 1000) this.#buckets.delete(origin)
    if (this.#buckets.size >= originsMax) this.#buckets.clear()
  }
}
