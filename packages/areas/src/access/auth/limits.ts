import { createHash } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { AppError, tooMany, unavailable } from '@muster/kit/errors.ts'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { service } from '../../services.ts'

interface Allowance {
  readonly points: number
  readonly seconds: number
  /** Each time the allowance is used up within a day, the wait doubles. */
  readonly growing?: boolean
}

/** Rate limits by name: so many in so many seconds for each key. One table, so that operators can read it. */
export const rateLimits = {
  // Signing in: what succeeds is given back, so these count failures.
  loginPerEmailAndAddress: { points: 5, seconds: 300, growing: true },
  loginPerEmail: { points: 20, seconds: 300 },
  loginPerAddress: { points: 100, seconds: 300 },
  mfaPerUser: { points: 5, seconds: 300 },
  passkeyPerAddress: { points: 100, seconds: 300 },
  refreshPerAddress: { points: 100, seconds: 300 },
  // Each of these makes us ask somebody's identity provider.
  ssoLoginPerAddress: { points: 300, seconds: 60 },
  ssoCallbackPerAddress: { points: 300, seconds: 60 },
  ssoExchangePerAddress: { points: 300, seconds: 60 },
  scimFailuresPerAddress: { points: 60, seconds: 60 },
  ssoTestPerUser: { points: 30, seconds: 300 },
  // What costs others something: mails, messages, accounts.
  resetRequestPerEmail: { points: 3, seconds: 3600 },
  resetRequestPerAddress: { points: 10, seconds: 3600 },
  verificationPerUser: { points: 3, seconds: 3600 },
  registrationNoticePerEmail: { points: 3, seconds: 3600 },
  // Invitations, first and repeated: of one inviter, of one partner to one address, and to one address from wherever they come.
  invitationPerUser: { points: 200, seconds: 3600 },
  invitationPerPartnerAndEmail: { points: 10, seconds: 3600 },
  invitationPerEmail: { points: 20, seconds: 3600 },
  resetByAdminPerUser: { points: 5, seconds: 3600 },
  registerPerAddress: { points: 5, seconds: 3600 },
  registerPartnerPerAddress: { points: 3, seconds: 3600 },
  smsLoginPerToken: { points: 3, seconds: 300 },
  smsLoginPerPhone: { points: 3, seconds: 300 },
  phonePerPhone: { points: 3, seconds: 3600 },
  phonePerUser: { points: 3, seconds: 3600 },
  smsPerPhoneAndDay: { points: 20, seconds: 86_400 },
  // Guessing by somebody who is signed in already.
  passwordPerUser: { points: 5, seconds: 300 },
  phoneCodePerUser: { points: 5, seconds: 300 },
  tokenPerAddress: { points: 30, seconds: 3600 },
  enrollPerAddress: { points: 600, seconds: 60 },
  orderKeysPerAddress: { points: 1_200, seconds: 60 },
  // Codes that nobody made.
  installCodePerAddress: { points: 20, seconds: 900 },
} as const satisfies Record<string, Allowance>
export type RateLimit = keyof typeof rateLimits

const growingDaySeconds = 86_400
const growingMaxSeconds = 7_200

/** Counts in Redis, shared by all processes. Fails closed: without Redis nothing that is limited goes through. */
export class Limits {
  readonly #redis: Redis
  readonly #limiters = new Map<string, RateLimiterRedis>()

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Takes one from the key's allowance. @throws RATE_LIMITED with `retryAfter` seconds, or UNAVAILABLE without Redis */
  async take(name: RateLimit, key: string): Promise<void> {
    await this.takeFrom(name, key, rateLimits[name])
  }

  /** Like `take`, for what is left undone without a word when nothing is left. @returns whether there was something left */
  async tryTake(name: RateLimit, key: string): Promise<boolean> {
    try {
      await this.take(name, key)
      return true
    } catch (refused) {
      if (refused instanceof AppError && refused.code === 'RATE_LIMITED') return false
      throw refused
    }
  }

  /** Like `take`, with an allowance that is not the same for everybody. */
  async takeFrom(name: string, key: string, allowance: Allowance): Promise<void> {
    try {
      await this.#limiter(name, allowance).consume(stored(key))
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw notNow(refused)
      throw tooMany(await this.#wait(name, key, allowance, refused))
    }
  }

  /** Is anything left, without taking it? */
  async isExhausted(name: RateLimit, key: string): Promise<boolean> {
    const { points } = rateLimits[name]
    try {
      const state = await this.#limiter(name, rateLimits[name]).get(stored(key))
      return state !== null && state.consumedPoints >= points
    } catch (failed) {
      throw notNow(failed)
    }
  }

  /** Gives one back: what was taken turned out to be no failure. */
  async giveBack(name: RateLimit, key: string): Promise<void> {
    await this.#limiter(name, rateLimits[name]).reward(stored(key))
  }

  /** Gives the whole allowance back, for example after a correct password. */
  async reset(name: RateLimit, key: string): Promise<void> {
    await Promise.all([
      this.#limiter(name, rateLimits[name]).delete(stored(key)),
      this.#redis.del(strikesKey(name, key)),
    ])
  }

  async #wait(name: string, key: string, { points, seconds, growing }: Allowance, refused: RateLimiterRes) {
    const rest = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
    // Exactly one of those who come too late finds itself one beyond the allowance; it sets the wait for all.
    if (growing !== true || refused.consumedPoints !== points + 1) return rest
    try {
      const strikes = await this.#redis.incr(strikesKey(name, key))
      await this.#redis.expire(strikesKey(name, key), growingDaySeconds)
      if (strikes === 1) return rest
      const wait = Math.min(growingMaxSeconds, seconds * 2 ** (strikes - 1))
      await this.#limiter(name, { points, seconds }).block(stored(key), wait)
      return wait
    } catch (failed) {
      throw notNow(failed)
    }
  }

  #limiter(name: string, { points, seconds }: Allowance): RateLimiterRedis {
    const id = `${name} ${points} ${seconds}`
    const known = this.#limiters.get(id)
    if (known !== undefined) return known
    const made = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: `limit:${name}`,
      points,
      duration: seconds,
      rejectIfRedisNotReady: true,
    })
    this.#limiters.set(id, made)
    return made
  }
}

const notNow = (cause: unknown) => unavailable('Rate limits cannot be checked at the moment', 5, cause)
/** Keys hold addresses and e-mails of people, and any text that somebody sent: Redis gets a digest of them. */
const stored = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 22)
const strikesKey = (name: string, key: string) => `limit:strikes:${name}:${stored(key)}`

export const limitsOf = service(({ redis }) => new Limits(redis))
