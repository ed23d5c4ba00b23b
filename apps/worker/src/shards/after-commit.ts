import type { Hello } from '@muster/areas/background/arrival.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Live } from '../heartbeats/live.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { Arrivals } from '../presence/arrivals.ts'
import type { Presence } from '../presence/presence.ts'
import type { Prepared, Submission, Written } from './writer.ts'

export interface AfterCommitParts {
  live: Live
  presence: Presence
  arrivals: Arrivals
  metrics: WorkerMetrics
  log: Log
}

/** What follows a commit. Sweeps repeat what fails here, and watchers read the stored state. */
export class AfterCommit {
  readonly #parts: AfterCommitParts

  constructor(parts: AfterCommitParts) {
    this.#parts = parts
  }

  /** Never rejects. */
  async run(works: readonly Submission[], written: Written): Promise<void> {
    const { presence, arrivals, metrics, live } = this.#parts
    metrics.heartbeats.inc(written.stored)
    metrics.duplicates.inc(written.duplicates)
    metrics.dropped.inc(written.dropped)
    for (const follow of written.afterCommit) follow()
    presence.doubt(works.flatMap(({ doubts }) => doubts))
    arrivals.add(works.flatMap(hellosOf))
    presence.hear(written.quiet)
    await Promise.all([
      this.#attempt('Live events', () => live.publish(written.events)),
      this.#attempt('Live heartbeats', () => live.heartbeats(works)),
    ])
  }

  /** A commit without an answer may have happened. Its doubts would be lost, because the reads are found stored then. */
  afterFailure(works: readonly Submission[]): void {
    this.#parts.presence.doubt(works.flatMap(({ doubts }) => doubts))
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#parts.log.warn({ err: error }, `${what} were not published`))
  }
}

/** The connections that are open at the end of this read. */
function hellosOf({ devices, plan }: Prepared): Hello[] {
  return plan.connections.flatMap(({ agent, watchdog, device }) =>
    [agent, watchdog].flatMap((record): Hello[] =>
      record?.name === 'connected' ? [{ deviceId: devices.id(device), body: record.body }] : [],
    ),
  )
}
