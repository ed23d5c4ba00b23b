import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { Live } from './live.ts'
import type { WorkerMetrics } from './metrics.ts'
import { routeOpenCommands } from './pending-commands.ts'
import type { Presence } from './presence.ts'
import { renewCertificates } from './renewals.ts'
import type { Submission } from './write-groups.ts'
import type { Prepared, Written } from './writer.ts'

export interface AftermathParts {
  pool: pg.Pool
  redis: Redis
  keyring: Keyring
  live: Live
  presence: Presence
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
    const { presence, metrics, live } = this.#parts
    metrics.heartbeats.inc(written.stored)
    metrics.duplicates.inc(written.duplicates)
    metrics.dropped.inc(written.dropped)
    for (const { status } of written.statuses) metrics.statusChanges.inc({ status })
    presence.doubt(works.flatMap(({ doubtful }) => doubtful))
    presence.hear(written.quiet)
    await Promise.all([
      this.#attempt('live events', () => live.changes(written)),
      this.#attempt('live heartbeats', () => live.heartbeats(works)),
      this.#attempt('commands of connected devices', () => this.#welcome(works)),
    ])
  }

  async #welcome(works: readonly Prepared[]): Promise<void> {
    const hellos = new Map(
      works.flatMap(({ devices, plan }) =>
        plan.connections.flatMap(({ agent, device }) =>
          agent?.kind === 'connected' ? [[devices.id(device), agent] as const] : [],
        ),
      ),
    )
    if (hellos.size === 0) return
    const { metrics } = this.#parts
    const [commands, certificates] = await Promise.all([
      routeOpenCommands(this.#parts, [...hellos.keys()]),
      renewCertificates(this.#parts, hellos),
    ])
    metrics.ordersRouted.inc({ why: 'connected' }, commands)
    metrics.ordersRouted.inc({ why: 'certificate' }, certificates)
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#parts.log.warn({ err: error }, `${what}: not sent`))
  }
}
