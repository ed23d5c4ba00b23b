import type { Clock } from '@muster/kit/clock.ts'
import { tooMany } from '@muster/kit/errors.ts'
import { originOf } from './addresses.ts'

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

  /** @throws RATE_LIMITED when the address has used what it may use */
  take(ip: string): void {
    if (this.#perSecond === 0) return
    const origin = originOf(ip)
    const now = this.#clock.now()
    const most = this.#perSecond * burstSeconds
    const bucket = this.#buckets.get(origin)
    if (bucket === undefined) {
      this.#makeRoom(now)
      this.#buckets.set(origin, { left: most - 1, at: now })
      return
    }
    bucket.left = Math.min(most, bucket.left + (Math.max(0, now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.left < 1) throw tooMany(1)
    bucket.left -= 1
  }

  /** Addresses that have been quiet for a while are full again, so forgetting them changes nothing. */
  #makeRoom(now: number): void {
    if (this.#buckets.size < originsMax) return
    for (const [origin, { at }] of this.#buckets) if (now - at > burstSeconds * 1000) this.#buckets.delete(origin)
    if (this.#buckets.size >= originsMax) this.#buckets.clear()
  }
}
