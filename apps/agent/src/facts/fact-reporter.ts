import { type FactFinding, factBytes } from '@muster/wire/facts/facts.ts'
import { observationsMax } from '@muster/wire/limits.ts'
import type { FactObservation, FactObservations } from '@muster/wire/messages/observations.ts'
import { canonicalJson, sha256 } from '../canonical.ts'
import { factFrameBytesMax, observationChangesMs } from '../limits.ts'
import type { FactStore } from './fact-store.ts'

export interface FactReporterOptions {
  store: FactStore
  /** The server's time, in milliseconds since 1970. */
  now: () => number
  /** A newer frame replaces one that was not acknowledged. */
  send(body: FactObservations, acknowledged: () => void): void
}

interface Known {
  readonly observation: FactObservation
  readonly hash: string
}

/** Sends findings that the server does not know, one frame at a time: what changes meanwhile waits for its acknowledgment. */
export class FactReporter {
  readonly #options: FactReporterOptions
  readonly #known = new Map<string, Known>()
  #waiting: FactObservations | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: FactReporterOptions) {
    this.#options = options
  }

  add(id: string, found: FactFinding): void {
    const hash = sha256(canonicalJson(found)).slice(0, 32)
    if (this.#known.get(id)?.hash === hash) return
    this.#known.set(id, { observation: { id, at: Math.round(this.#options.now()), found }, hash })
    if (this.#options.store.told(id) === hash) return
    // Changes of the same moment share a frame.
    this.#timer ??= setTimeout(() => this.#flush(), observationChangesMs)
    this.#timer.unref()
  }

  /** Forgets facts that are no longer assigned. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id)
  }

  /** Sends what the server does not know, also if an earlier frame waits: it may have been dropped. */
  repeat(): void {
    if (this.#unknown().length > 0) this.confirm()
  }

  /** Tells the server which assignment is followed, and what it does not know. */
  confirm(): void {
    this.#waiting = undefined
    this.#send(this.#unknown())
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #unknown(): Known[] {
    return [...this.#known.values()].filter(
      ({ observation, hash }) => this.#options.store.told(observation.id) !== hash,
    )
  }

  #flush(): void {
    this.#timer = undefined
    if (this.#waiting !== undefined) return
    const unknown = this.#unknown()
    if (unknown.length > 0) this.#send(unknown)
  }

  #send(unknown: readonly Known[]): void {
    const { store, send } = this.#options
    const part = fitting(unknown)
    const body = { kind: 'facts' as const, revision: store.revision, items: part.map(({ observation }) => observation) }
    this.#waiting = body
    send(body, () => {
      if (this.#waiting !== body) return
      this.#waiting = undefined
      store.tell(new Map(part.map(({ observation, hash }) => [observation.id, hash])))
      this.#flush()
    })
  }
}

/** The first ones that fit into a frame. */
function fitting(unknown: readonly Known[]): Known[] {
  let bytes = 0
  return unknown.slice(0, observationsMax).filter(({ observation }) => {
    bytes += factBytes(observation.found) + 100
    return bytes <= factFrameBytesMax
  })
}
