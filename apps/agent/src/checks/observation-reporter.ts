import { observationsMax } from '@muster/wire/limits.ts'
import type { CheckKind } from '@muster/wire/messages/assignment.ts'
import type { CheckObservations, CheckState, Observation } from '@muster/wire/messages/observations.ts'
import { observationChangesMs, observationEveryMs } from '../limits.ts'
import type { Finding } from './check.ts'

export interface ObservationReporterOptions {
  kind: CheckKind
  /** Of the assignment that the agent follows. */
  revision: () => number
  /** The server's time, in milliseconds since 1970. */
  now: () => number
  send(body: CheckObservations): void
}

interface Tally {
  observation: Observation
  /** The state that the server was told last. */
  told: CheckState | undefined
  /** The round may decide that the target is offline. */
  counts: boolean
}

/** Sums up the rounds of checks: a change of state is sent at once, everything else once a minute. */
export class ObservationReporter {
  readonly #options: ObservationReporterOptions
  readonly #tallies = new Map<string, Tally>()
  readonly #told = new Map<string, CheckState>()
  /** Failing rounds in a row of each check. */
  readonly #failing = new Map<string, number>()
  #changes: NodeJS.Timeout | undefined
  #minute: NodeJS.Timeout | undefined

  constructor(options: ObservationReporterOptions) {
    this.#options = options
  }

  /** Adds one round. The first failing rounds in a row, up to `confirmRounds`, are reported at once. */
  add(id: string, finding: Finding, confirmRounds = 1): void {
    const failing = finding.state === 'failed' ? (this.#failing.get(id) ?? 0) + 1 : 0
    this.#failing.set(id, failing)
    const counts = failing > 1 && failing <= confirmRounds
    const before = this.#tallies.get(id)?.observation
    const told = this.#told.get(id)
    const observation = sumOf(id, before, finding, this.#options.now())
    this.#tallies.set(id, { observation, told, counts })
    if (finding.state === told && !counts) {
      this.#minute ??= setTimeout(() => this.#flush(() => true), observationEveryMs)
      this.#minute.unref()
    } else {
      // Changes of the same moment share a frame.
      this.#changes ??= setTimeout(
        () => this.#flush(({ observation, told, counts }) => counts || observation.state !== told),
        observationChangesMs,
      )
    }
  }

  /** Forgets checks that are no longer assigned. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#tallies.keys()) if (!ids.has(id)) this.#tallies.delete(id)
    for (const id of this.#told.keys()) if (!ids.has(id)) this.#told.delete(id)
    for (const id of this.#failing.keys()) if (!ids.has(id)) this.#failing.delete(id)
  }

  /** Tells the server which assignment the agent follows. */
  confirm(): void {
    const { kind, revision, send } = this.#options
    send({ kind, revision: revision(), items: [] })
  }

  stop(): void {
    clearTimeout(this.#changes)
    clearTimeout(this.#minute)
  }

  #flush(isDue: (tally: Tally) => boolean): void {
    clearTimeout(this.#changes)
    this.#changes = undefined
    const due = [...this.#tallies.values()].filter(isDue)
    if (due.length === this.#tallies.size) {
      clearTimeout(this.#minute)
      this.#minute = undefined
    }
    const { kind, revision, send } = this.#options
    for (let start = 0; start < due.length; start += observationsMax) {
      const items = due.slice(start, start + observationsMax).map(({ observation }) => observation)
      send({ kind, revision: revision(), items })
    }
    for (const { observation } of due) {
      this.#told.set(observation.id, observation.state)
      this.#tallies.delete(observation.id)
    }
  }
}

function sumOf(id: string, before: Observation | undefined, finding: Finding, at: number): Observation {
  const { state, ms, value, text, certificateExpiresAt } = finding
  const timed = ms !== undefined && state !== 'failed' && state !== 'unknown'
  return {
    id,
    at: Math.round(at),
    state,
    rounds: (before?.rounds ?? 0) + 1,
    failed: (before?.failed ?? 0) + (state === 'failed' ? 1 : 0),
    ...(before?.minMs !== undefined && { minMs: before.minMs, maxMs: before.maxMs, sumMs: before.sumMs }),
    ...(timed && {
      minMs: Math.min(before?.minMs ?? ms, ms),
      maxMs: Math.max(before?.maxMs ?? ms, ms),
      sumMs: (before?.sumMs ?? 0) + ms,
    }),
    ...(value !== undefined && { value }),
    ...(text !== undefined && { text: text.slice(0, 500) }),
    ...(certificateExpiresAt !== undefined && { certificateExpiresAt }),
  }
}
