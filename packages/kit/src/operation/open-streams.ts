// How many event streams may be open: each holds a socket, a place in memory and a share of every event.
import type { Caller } from '../access.ts'
import { tooMany } from '../errors.ts'

export interface StreamLimits {
  /** Of one signed-in session, or of one API key: some dozens of pages, side by side. */
  readonly perCredential: number
  /** Of one person with all sessions, or of one address without a credential. */
  readonly perPerson: number
  /** Of this process. */
  readonly perProcess: number
}

export const usualStreamLimits: StreamLimits = { perCredential: 64, perPerson: 128, perProcess: 5_000 }

/** Long enough for a stream whose client vanished to be noticed and closed. */
const retrySeconds = 15

type Owner = Pick<Caller, 'userId' | 'sessionId' | 'apiKeyId'>

/** Counts the event streams of this process by who holds them. */
export class OpenStreams {
  readonly #limits: StreamLimits
  readonly #counts = new Map<string, number>()
  #open = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#open
  }

  /**
   * Takes a place for one more stream. @returns what gives the place back, once however often it is called
   * @throws RATE_LIMITED when the credential, the person or the process holds as many as it may
   */
  take(caller: Owner | null, address: string): () => void {
    const { perCredential, perPerson, perProcess } = this.#limits
    const holders = holdersOf(caller, address, { perCredential, perPerson })
    for (const { key, most, whose } of holders) {
      if ((this.#counts.get(key) ?? 0) < most) continue
      throw tooMany(retrySeconds, `${whose} already has ${most} event streams open, the most allowed. Close some first`)
    }
    if (this.#open >= perProcess)
      throw tooMany(retrySeconds, 'The server has as many event streams open as it can serve. Try again shortly')
    for (const { key } of holders) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#open++
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open--
      for (const { key } of holders) {
        const left = (this.#counts.get(key) ?? 0) - 1
        if (left > 0) this.#counts.set(key, left)
        else this.#counts.delete(key)
      }
    }
  }
}

interface Holder {
  readonly key: string
  readonly most: number
  readonly whose: string
}

function holdersOf(
  caller: Owner | null,
  address: string,
  { perCredential, perPerson }: Omit<StreamLimits, 'perProcess'>,
): Holder[] {
  if (caller === null) return [{ key: `address ${address}`, most: perPerson, whose: 'This address' }]
  const { userId, sessionId, apiKeyId } = caller
  // A key counts for itself: a busy integration must not take the streams of the person who made it.
  if (apiKeyId !== null) return [{ key: `key ${apiKeyId}`, most: perCredential, whose: 'This API key' }]
  return [
    { key: `session ${sessionId}`, most: perCredential, whose: 'This session' },
    { key: `person ${userId}`, most: perPerson, whose: 'This account' },
  ]
}
