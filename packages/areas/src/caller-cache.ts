import type { Redis, Subscriber } from '@muster/backplane/redis.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { Clock } from '@muster/kit/clock.ts'
import { service } from './services.ts'

const freshMs = 500
/** An entry of this age is refreshed in the background while it is still used, so that busy callers do not wait. */
const renewMs = 250
const entriesMax = 20_000
const channel = 'authority'
/** Bursts of changes reach the listeners as one. */
const gatheredMs = 50
/** Listeners are notified this often anyway: seldom while messages of other processes arrive, soon while they cannot. */
const backstopMs = { linked: 5_000, alone: freshMs }

/** A caller that an API key stands for, and what the key adds to it. */
export interface KeyCaller {
  readonly caller: Caller
  readonly allowedAddresses: readonly string[]
  readonly requestsPerMinute: number
}

interface Entry<T> {
  readonly answer: Promise<T | null>
  readonly askedAt: number
  isRenewing: boolean
}

/** Answers of a moment ago. A failed look-up is never kept. */
class Fresh<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async resolve(key: string, load: () => Promise<T | null>): Promise<T | null> {
    const now = this.#clock.now()
    const known = this.#entries.get(key)
    if (known !== undefined && now < known.askedAt + freshMs) {
      if (now >= known.askedAt + renewMs && !known.isRenewing) this.#renew(key, known, load)
      return known.answer
    }
    if (this.#entries.size >= entriesMax) this.#entries.clear()
    const entry = { answer: load(), askedAt: now, isRenewing: false }
    this.#entries.set(key, entry)
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    try {
      const found = await entry.answer
      if (found === null) forget()
      return found
    } catch (error) {
      forget()
      throw error
    }
  }

  clear(): void {
    this.#entries.clear()
  }

  /** What was taken out meanwhile, because authority has changed, is not put back. */
  #renew(key: string, known: Entry<T>, load: () => Promise<T | null>): void {
    known.isRenewing = true
    // Behind the request that has noticed: it is on its way to the database by then.
    setImmediate(() => {
      const askedAt = this.#clock.now()
      const answer = load()
      const put = (found: T | null) => {
        if (this.#entries.get(key) !== known) return
        if (found === null) this.#entries.delete(key)
        else this.#entries.set(key, { answer, askedAt, isRenewing: false })
      }
      // A failed refresh leaves the entry until it expires. The next lookup then belongs to a request, which gets the error.
      answer.then(put, () => undefined)
    })
  }
}

/**
 * Callers resolved a moment ago, by credential, and the news that authority has changed. A change of authority
 * empties the cache here at once and in other processes as soon as the message arrives; without Redis their entries
 * go stale well within a second all the same.
 */
export class CallerCache {
  readonly sessions: Fresh<Caller>
  readonly keys: Fresh<KeyCaller>
  readonly #listeners = new Set<() => void>()
  readonly #redis: Redis
  readonly #subscriber: Subscriber | null
  #gathering: NodeJS.Timeout | null = null
  #backstop: NodeJS.Timeout | null = null

  /** @param subscriber a connection for subscriptions; without one the cache hears of changes in its own process only */
  constructor(clock: Clock, redis: Redis, subscriber: Subscriber | null) {
    this.sessions = new Fresh(clock)
    this.keys = new Fresh(clock)
    this.#redis = redis
    this.#subscriber = subscriber
    subscriber?.on('message', (from: string) => {
      if (from === channel) this.#changed()
    })
    // Messages may have been missed while the connection was away.
    subscriber?.on('ready', () => this.#changed())
    subscriber?.subscribe(channel).catch(() => undefined)
  }

  /** Call after the commit of anything that changes who may do what. */
  async clear(): Promise<void> {
    this.#changed()
    await this.#redis.publish(channel, '').catch(() => undefined)
  }

  /** @returns the way to stop listening */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#keepTelling()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0 || this.#backstop === null) return
      clearTimeout(this.#backstop)
      this.#backstop = null
    }
  }

  #changed(): void {
    this.sessions.clear()
    this.keys.clear()
    if (this.#listeners.size === 0 || this.#gathering !== null) return
    this.#gathering = setTimeout(() => {
      this.#gathering = null
      this.#tell()
    }, gatheredMs)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  #keepTelling(): void {
    if (this.#backstop !== null) return
    const delay = this.#subscriber?.status === 'ready' ? backstopMs.linked : backstopMs.alone
    this.#backstop = setTimeout(() => {
      this.#backstop = null
      if (this.#listeners.size === 0) return
      this.#tell()
      this.#keepTelling()
    }, delay).unref()
  }
}

/** Who callers are, remembered briefly: one per process. */
export const callersOf = service(({ clock, redis, subscriber }) => new CallerCache(clock, redis, subscriber))
