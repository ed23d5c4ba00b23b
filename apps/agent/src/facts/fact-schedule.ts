import type { AssignedFact, FactFinding } from '@muster/wire/facts/facts.ts'
import type { Random } from '../backoff.ts'
import {
  factEveryMs,
  factFirstWithinMs,
  factLooksStuckMax,
  factLookTimeoutMs,
  factRestFactor,
  factRestMinMs,
  factSettleMs,
  serviceFactEveryMs,
} from '../limits.ts'
import type { FileSeen } from '../platform/files/observe-file.ts'
import { ToolFailure } from '../tool-failure.ts'
import { EntryWatches } from './entry-watches.ts'
import { type Look, type LookAt, unknown } from './look.ts'

export interface FactScheduleOptions {
  look: LookAt
  found(id: string, finding: FactFinding): void
  /** A folder cannot be watched. */
  unwatched(error: unknown): void
  random: Random
}

interface Watched {
  readonly assigned: AssignedFact
  dueAt: number
  /** Not before this, however often it changes. */
  restUntil: number
  seen: FileSeen | undefined
  hasFinding: boolean
  /** A look that has not ended within its time. */
  isStuck: boolean
}

/** Looks at facts one after another: when their file changes, and from time to time. */
export class FactSchedule {
  readonly #options: FactScheduleOptions
  readonly #watched = new Map<string, Watched>()
  readonly #watches: EntryWatches
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #stuck = 0

  constructor(options: FactScheduleOptions) {
    this.#options = options
    this.#watches = new EntryWatches((id) => this.#soon(id, factSettleMs), options.unwatched)
  }

  /** Replaces all facts. One that stays keeps what is known about it. */
  replace(items: readonly AssignedFact[]): void {
    const wanted = new Map(items.map((assigned) => [assigned.id, assigned]))
    for (const id of this.#watched.keys()) {
      if (wanted.delete(id)) continue
      this.#watched.delete(id)
      this.#watches.watch(id, [])
    }
    for (const assigned of wanted.values()) {
      const dueAt = performance.now() + this.#options.random() * factFirstWithinMs
      const fresh = { dueAt, restUntil: 0, seen: undefined, hasFinding: false, isStuck: false }
      this.#watched.set(assigned.id, { assigned, ...fresh })
    }
    this.#wait()
  }

  stop(): void {
    this.#watched.clear()
    this.#watches.stop()
    clearTimeout(this.#timer)
  }

  #soon(id: string, afterMs: number): void {
    const watched = this.#watched.get(id)
    if (watched === undefined) return
    watched.dueAt = Math.min(watched.dueAt, Math.max(performance.now() + afterMs, watched.restUntil))
    this.#wait()
  }

  #wait(): void {
    if (this.#isLooking) return
    clearTimeout(this.#timer)
    const dueAt = Math.min(...[...this.#watched.values()].map((watched) => watched.dueAt))
    if (dueAt === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => void this.#lookAtDue(), Math.max(0, dueAt - performance.now()))
    this.#timer.unref()
  }

  async #lookAtDue(): Promise<void> {
    this.#isLooking = true
    for (;;) {
      const now = performance.now()
      const due = [...this.#watched.values()].filter(({ dueAt }) => dueAt <= now)
      if (due.length === 0) break
      for (const watched of due) if (this.#watched.get(watched.assigned.id) === watched) await this.#lookAt(watched)
    }
    this.#isLooking = false
    this.#wait()
  }

  async #lookAt(watched: Watched): Promise<void> {
    const { id, fact } = watched.assigned
    const startedAt = performance.now()
    const everyMs = fact.type === 'service' || fact.type === 'registry' ? serviceFactEveryMs : factEveryMs
    // Facts of one assignment do not stay together.
    watched.dueAt = startedAt + everyMs * (0.9 + 0.2 * this.#options.random())
    const look = await this.#within(watched)
    watched.restUntil = performance.now() + Math.max(factRestMinMs, factRestFactor * (performance.now() - startedAt))
    if (watched.dueAt < watched.restUntil) watched.dueAt = watched.restUntil
    if (look === undefined || this.#watched.get(id) !== watched) return
    watched.hasFinding = true
    if (look.seen !== undefined) {
      watched.seen = look.seen
      if (this.#watches.watch(id, look.seen.entries)) this.#soon(id, factSettleMs)
    }
    this.#options.found(id, look.finding)
  }

  /** One look within its time. @returns undefined when what is known stays */
  async #within(watched: Watched): Promise<Look | undefined> {
    if (watched.isStuck) return undefined
    if (this.#stuck >= factLooksStuckMax) return watched.hasFinding ? undefined : { finding: tooLong }
    let timer: NodeJS.Timeout | undefined
    const ended = this.#options.look(watched.assigned.fact, watched.seen)
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), factLookTimeoutMs)
    })
    const look = await Promise.race([ended, late])
    clearTimeout(timer)
    if (look !== undefined) return look
    watched.isStuck = true
    this.#stuck++
    void ended.finally(() => {
      watched.isStuck = false
      this.#stuck--
    })
    return { finding: tooLong }
  }
}

const tooLong = unknown(new ToolFailure('TIMED_OUT', 'the system does not answer'))
