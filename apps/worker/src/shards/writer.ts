import type { Evaluated, Evaluating } from '@muster/areas/background/evaluator.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import {
  changeStatuses,
  noteLateMetrics,
  type ReportedAgent,
  readKnownDevices,
  readSequences,
  storeHeartbeats,
  storeReportedAgents,
  type Verdict,
  verdictEvents,
} from '@muster/areas/fleet/devices/index.ts'
import type { PartnerEvent } from '@muster/areas/platform/live-events/index.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import type pg from 'pg'
import type { Decoded } from '../heartbeats/decoded.ts'
import { fold, type Plan, type RecordStores, unfamiliarBoots } from '../heartbeats/fold.ts'
import { DeviceTable, type Known, type KnownDevices } from '../heartbeats/known-devices.ts'
import type { Doubt } from '../presence/connections.ts'
import { storeRecords } from './record-stores.ts'

/** The position of a stream before and after a read. */
export interface Step {
  stream: string
  from: string
  to: string
}

/** Another worker wrote the stream meanwhile: the position has to be read again. */
export class PositionMoved extends Error {
  constructor(streams: string, options?: ErrorOptions) {
    super(`The position of ${streams} has to be read again`, options)
    this.name = 'PositionMoved'
  }
}

/** A read with the decisions about its records. */
export interface Prepared {
  decoded: Decoded
  devices: DeviceTable
  plan: Plan
  /** Writes what the rules on heartbeats decided; null if nothing. */
  evaluated: Evaluated
}

/** A read with everything that its transaction writes. */
export interface Work extends Prepared {
  step: Step
  verdicts: readonly Verdict[]
}

/** A read that waits for its transaction. */
export interface Submission extends Work {
  doubts: readonly Doubt[]
}

export interface Written {
  stored: number
  duplicates: number
  /** Heartbeats of known devices that no longer exist. */
  vanished: number
  /** Devices that sent a heartbeat although their status is offline. */
  quiet: string[]
  /** Records about devices or commands that do not exist. */
  dropped: number
  events: PartnerEvent[]
  afterCommit: (() => void)[]
}

const advancePositions = {
  name: 'advance-positions',
  text: `UPDATE stream_positions p SET entry_id = u.ends, updated_at = now()
    FROM unnest($1::text[], $2::text[], $3::text[]) AS u(stream, begins, ends)
    WHERE p.stream = u.stream AND p.entry_id = u.begins`,
}

interface WriterParts {
  /** For the writes of shards alone, so that jobs and sweeps do not wait behind a backlog. */
  readonly pool: pg.Pool
  /** Of `heartbeatRowType`. */
  readonly rowType: number
  readonly stores: RecordStores
  readonly worker: WorkerParts
  /** Judges new heartbeats; null without rules on them. */
  readonly evaluating: Evaluating | null
}

/** Writes reads in one transaction with the positions that they end at. */
export class Writer {
  readonly #parts: WriterParts

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** Reads what is unknown about the devices and decides how to store their records. */
  async prepare(decoded: Decoded, cache: KnownDevices): Promise<Prepared> {
    const devices = new DeviceTable(decoded)
    await this.#learn(devices, cache)
    const known = devices.keys.map((key) => cache.find(key))
    const boots = unfamiliarBoots(decoded, known)
    const sequences = await this.#storedSequences(devices, boots)
    const { stores } = this.#parts
    const plan = fold(decoded, known, stores, (device, bootId) => sequences.get(`${device}:${bootId}`) ?? 0)
    return { decoded, devices, plan, evaluated: await this.#evaluate(decoded, devices, known, plan) }
  }

  async #evaluate(
    { heartbeats }: Decoded,
    devices: DeviceTable,
    known: readonly (Known | undefined)[],
    { earlier, newest, after }: Plan,
  ): Promise<Evaluated> {
    const { evaluating } = this.#parts
    if (evaluating === null || newest.length === 0 || !evaluating.isDue()) return null
    return evaluating.evaluate({
      heartbeats,
      earlier,
      newest,
      deviceId: (device) => devices.id(device),
      partnerOf: (device) => known[device]?.partnerId,
      memoryOf: (device) => known[device]?.memory ?? null,
      keep(device, memory) {
        const kept = after[device]
        if (kept !== undefined) kept.memory = memory
      },
    })
  }

  /**
   * Writes reads of different streams, all or none of them.
   * @throws PositionMoved when a stream is no longer where its step begins
   */
  async write(works: readonly Work[]): Promise<Written> {
    const { pool, rowType, stores, worker } = this.#parts
    return inTransaction(pool, async (client): Promise<Written> => {
      const [moved, heartbeats, verdicts, reported] = await Promise.all([
        advance(client, works),
        storeHeartbeats(client, rowType, works),
        changeStatuses(
          client,
          works.flatMap(({ verdicts }) => verdicts),
        ),
        storeReportedAgents(client, reportedAgents(works)),
        noteLateMetrics(client, works, Date.now()),
      ])
      if (moved !== works.length) throw new PositionMoved(works.map(({ step }) => step.stream).join(', '))
      if (heartbeats.vanished > 0 && works.length > 1)
        throw new Error('Devices no longer exist, and it is unknown which read has them')
      const stored = await storeRecords(client, stores, works, worker)
      for (const { evaluated } of works) if (evaluated !== null) stored.push(await evaluated(client))
      const online = new Set(
        verdicts.statuses.flatMap(({ status, deviceId }) => (status === 'online' ? [deviceId] : [])),
      )
      return {
        stored: heartbeats.stored,
        duplicates: heartbeats.duplicates,
        vanished: heartbeats.vanished,
        quiet: heartbeats.quiet.filter((deviceId) => !online.has(deviceId)),
        dropped:
          heartbeats.vanished +
          works.reduce((sum, { plan }) => sum + plan.unknown, 0) +
          stored.reduce((sum, { dropped = 0 }) => sum + dropped, 0),
        events: [...verdictEvents(verdicts), ...reported, ...stored.flatMap(({ events = [] }) => events)],
        afterCommit: stored.flatMap(({ afterCommit }) => afterCommit ?? []),
      }
    })
  }

  async #learn(devices: DeviceTable, cache: KnownDevices): Promise<void> {
    const missing: number[] = []
    for (const [index, key] of devices.keys.entries()) if (cache.find(key) === undefined) missing.push(index)
    if (missing.length === 0) return
    const ids = missing.map((index) => devices.id(index))
    for (const row of await readKnownDevices(this.#parts.pool, ids)) {
      const key = devices.keys[missing[row.n - 1] ?? -1]
      if (key === undefined) continue
      cache.set(key, {
        partnerId: row.partner_id,
        agentVersion: row.agent_version,
        agentProtocol: row.agent_protocol,
        capabilities: row.capabilities,
        bootId: row.boot_id,
        sequence: row.sequence,
        seenAtMs: row.seen_ms ?? 0,
        memory: null,
      })
    }
  }

  async #storedSequences(devices: DeviceTable, boots: readonly [number, number][]): Promise<Map<string, number>> {
    if (boots.length === 0) return new Map()
    const asked = boots.map(([device, bootId]) => ({ deviceId: devices.id(device), bootId }))
    const sequences = await readSequences(this.#parts.pool, asked)
    return new Map(boots.map(([device, bootId], index) => [`${device}:${bootId}`, sequences[index] ?? 0]))
  }
}

async function advance(client: pg.PoolClient, works: readonly Work[]): Promise<number | null> {
  const { rowCount } = await client.query({
    ...advancePositions,
    values: [
      works.map(({ step }) => step.stream),
      works.map(({ step }) => step.from),
      works.map(({ step }) => step.to),
    ],
  })
  return rowCount
}

function reportedAgents(works: readonly Prepared[]): ReportedAgent[] {
  return works.flatMap(({ plan, devices }) =>
    plan.connections.flatMap(({ device, changedHello }): ReportedAgent[] => {
      if (changedHello === null) return []
      const { agentVersion, protocol, capabilities = null } = changedHello.body
      return [{ deviceId: devices.id(device), agentVersion, protocol, capabilities, atMs: changedHello.atMs }]
    }),
  )
}

/** Keeps what a written plan says about its devices, or forgets them if some no longer exist. */
export function remember(cache: KnownDevices, { devices, plan }: Prepared, areSomeGone: boolean): void {
  for (const [index, key] of devices.keys.entries()) {
    const after = plan.after[index]
    if (areSomeGone) cache.delete(key)
    else if (after !== undefined) cache.set(key, after)
  }
}
