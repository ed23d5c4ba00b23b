import { createHash } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { AppError, tooMany, unavailable } from '@muster/kit/errors.ts'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { service } from '../../services.ts'

interface Allowance {
  readonly points: number
  readonly seconds: number
  /** The wait doubles each time the limit is exceeded within a day. */
  readonly growing?: boolean
}

/** Rate limits by name: the number of points within a number of seconds for each key. */
export const rateLimits = {
  // Signing in: a success returns its point, so these limits count failures.
  loginPerEmailAndAddress: { points: 5, seconds: 300, growing: true },
  loginPerEmail: { points: 20, seconds: 300 },
  loginPerAddress: { points: 100, seconds: 300 },
  mfaPerUser: { points: 5, seconds: 300 },
  passkeyPerAddress: { points: 100, seconds: 300 },
  refreshPerAddress: { points: 100, seconds: 300 },
  // Each of these sends a request to an identity provider.
  ssoLoginPerAddress: { points: 300, seconds: 60 },
  ssoCallbackPerAddress: { points: 300, seconds: 60 },
  ssoExchangePerAddress: { points: 300, seconds: 60 },
  scimFailuresPerAddress: { points: 60, seconds: 60 },
  ssoTestPerUser: { points: 30, seconds: 300 },
  // These cost others something: mails, messages, accounts.
  resetRequestPerEmail: { points: 3, seconds: 3600 },
  resetRequestPerAddress: { points: 10, seconds: 3600 },
  verificationPerUser: { points: 3, seconds: 3600 },
  registrationNoticePerEmail: { points: 3, seconds: 3600 },
  // Invitations, first and repeated: by one inviter, by one partner to one address, and to one address by all partners.
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
  // Guesses by a signed-in user.
  passwordPerUser: { points: 5, seconds: 300 },
  phoneCodePerUser: { points: 5, seconds: 300 },
  tokenPerAddress: { points: 30, seconds: 3600 },
  enrollPerAddress: { points: 600, seconds: 60 },
  orderKeysPerAddress: { points: 1_200, seconds: 60 },
  // Codes that do not exist.
  installCodePerAddress: { points: 20, seconds: 900 },
} as const satisfies Record<string, Allowance>
export type RateLimit = keyof typeof rateLimits

const growingDaySeconds = 86_400
const growingMaxSeconds = 7_200

/** Counts in Redis, shared by all processes. Without Redis, limited requests are rejected. */
export class Limits {
  readonly #redis: Redis
  readonly #limiters = new Map<string, RateLimiterRedis>()

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Takes one point of the key. @throws RATE_LIMITED with `retryAfter` in seconds; UNAVAILABLE without Redis */
  async take(name: RateLimit, key: string): Promise<void> {
    await this.takeFrom(name, key, rateLimits[name])
  }

  /** Like `take`, for work that is skipped silently beyond the limit. @returns whether there was a point left */
  async tryTake(name: RateLimit, key: string): Promise<boolean> {
    try {
      await this.take(name, key)
      return true
    } catch (refused) {
      if (refused instanceof AppError && refused.code === 'RATE_LIMITED') return false
      throw refused
    }
  }

  /** Like `take`, with a limit that the caller computes. */
  async takeFrom(name: string, key: string, allowance: Allowance): Promise<void> {
    try {
      await this.#limiter(name, allowance).consume(stored(key))
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw cannotCheck(refused)
      throw tooMany(await this.#wait(name, key, allowance, refused))
    }
  }

  /** Whether the limit is reached. Takes no point. */
  async isExhausted(name: RateLimit, key: string): Promise<boolean> {
    const { points } = rateLimits[name]
    try {
      const state = await this.#limiter(name, rateLimits[name]).get(stored(key))
      return state !== null && state.consumedPoints >= points
    } catch (failed) {
      throw cannotCheck(failed)
    }
  }

  /** Returns one point, when the attempt was no failure. */
  async giveBack(name: RateLimit, key: string): Promise<void> {
    await this.#limiter(name, rateLimits[name]).reward(stored(key))
  }

  /** Returns all points, for example after a correct password. */
  async reset(name: RateLimit, key: string): Promise<void> {
    await Promise.all([
      this.#limiter(name, rateLimits[name]).delete(stored(key)),
      this.#redis.del(strikesKey(name, key)),
    ])
  }

  async #wait(name: string, key: string, { points, seconds, growing }: Allowance, refused: RateLimiterRes) {
    const rest = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
    // Only the first rejected request sees exactly one point beyond the limit. It sets the wait for all.
    if (growing !== true || refused.consumedPoints !== points + 1) return rest
    try {
      const strikes = await this.#redis.incr(strikesKey(name, key))
      await this.#redis.expire(strikesKey(name, key), growingDaySeconds)
      if (strikes === 1) return rest
      const wait = Math.min(growingMaxSeconds, seconds * 2 ** (strikes - 1))
      await this.#limiter(name, { points, seconds }).block(stored(key), wait)
      return wait
    } catch (failed) {
      throw cannotCheck(failed)
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

const cannotCheck = (cause: unknown) => unavailable('Rate limits cannot be checked at the moment', 5, cause)
/** Keys contain addresses, emails and unchecked input, so Redis stores only a digest of them. */
const stored = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 22)
const strikesKey = (name: string, key: string) => `limit:strikes:${name}:${stored(key)}`

export const limitsOf = service(({ redis }) => new Limits(redis))
