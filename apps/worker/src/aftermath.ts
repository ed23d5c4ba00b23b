import type { Log } from '@muster/kit/log.ts'
import type { Arrivals } from './arrivals.ts'
import type { Live } from './live.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { Presence } from './presence.ts'
import type { Hello } from './renewals.ts'
import type { WatchdogCertificates } from './watchdogs.ts'
import type { Prepared, Submission, Written } from './writer.ts'

export interface AftermathParts {
  live: Live
  presence: Presence
  watchdogs: WatchdogCertificates
  arrivals: Arrivals
  metrics: WorkerMetrics
  log: Log
}

/** What follows a commit. None of it is lost for good when it fails: sweeps and watchers look at what is stored. */
export class Aftermath {
  readonly #parts: AftermathParts

  constructor(parts: AftermathParts) {
    this.#parts = parts
  }

  /** Never rejects. */
  async follow(works: readonly Submission[], written: Written): Promise<void> {
    const { presence, watchdogs, arrivals, metrics, live } = this.#parts
    metrics.heartbeats.inc(written.stored)
    metrics.duplicates.inc(written.duplicates)
    metrics.dropped.inc(written.dropped)
    for (const { plan } of works) for (const { body } of plan.refusals) metrics.orderRefusals.inc({ code: body.code })
    for (const { status } of written.statuses) metrics.statusChanges.inc({ status })
    presence.doubt(works.flatMap(({ doubts }) => doubts))
    watchdogs.ask(written.watchdogKeys)
    arrivals.came(works.flatMap(hellosOf))
    presence.hear(written.quiet)
    await Promise.all([
      this.#attempt('live events', () => live.changes(written)),
      this.#attempt('live heartbeats', () => live.heartbeats(works)),
    ])
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#parts.log.warn({ err: error }, `${what}: not sent`))
  }
}

/** Everybody who is connected by the end of this read. */
function hellosOf({ devices, plan }: Prepared): Hello[] {
  return plan.connections.flatMap(({ agent, watchdog, device }) =>
    [agent, watchdog].flatMap((record): Hello[] =>
      record?.kind === 'connected' ? [{ deviceId: devices.id(device), body: record.body }] : [],
    ),
  )
}
