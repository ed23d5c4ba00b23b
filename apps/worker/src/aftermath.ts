import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { Live } from './live.ts'
import type { WorkerMetrics } from './metrics.ts'
import { routeOpenCommands } from './pending-commands.ts'
import type { Presence } from './presence.ts'
import { type Hello, renewCertificates } from './renewals.ts'
import type { WatchdogCertificates } from './watchdogs.ts'
import type { Submission } from './write-groups.ts'
import type { Prepared, Written } from './writer.ts'

export interface AftermathParts {
  pool: pg.Pool
  redis: Redis
  keyring: Keyring
  live: Live
  presence: Presence
  watchdogs: WatchdogCertificates
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
    const { presence, watchdogs, metrics, live } = this.#parts
    metrics.heartbeats.inc(written.stored)
    metrics.duplicates.inc(written.duplicates)
    metrics.dropped.inc(written.dropped)
    for (const { status } of written.statuses) metrics.statusChanges.inc({ status })
    presence.doubt(works.flatMap(({ doubts }) => doubts))
    watchdogs.ask(written.watchdogKeys)
    presence.hear(written.quiet)
    await Promise.all([
      this.#attempt('live events', () => live.changes(written)),
      this.#attempt('live heartbeats', () => live.heartbeats(works)),
      this.#attempt('commands of connected devices', () => this.#welcome(works)),
    ])
  }

  async #welcome(works: readonly Prepared[]): Promise<void> {
    const agents: Hello[] = []
    const watchdogs: Hello[] = []
    for (const { devices, plan } of works)
      for (const { agent, watchdog, device } of plan.connections) {
        if (agent?.kind === 'connected') agents.push({ deviceId: devices.id(device), body: agent.body })
        if (watchdog?.kind === 'connected') watchdogs.push({ deviceId: devices.id(device), body: watchdog.body })
      }
    if (agents.length + watchdogs.length === 0) return
    const { metrics } = this.#parts
    const [commands, certificates] = await Promise.all([
      routeOpenCommands(
        this.#parts,
        agents.map(({ deviceId }) => deviceId),
      ),
      renewCertificates(this.#parts, [...agents, ...watchdogs]),
    ])
    metrics.ordersRouted.inc({ why: 'connected' }, commands)
    metrics.ordersRouted.inc({ why: 'certificate' }, certificates)
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#parts.log.warn({ err: error }, `${what}: not sent`))
  }
}
