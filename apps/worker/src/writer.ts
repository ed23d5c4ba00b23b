import { inTransaction } from '@muster/db/transaction.ts'
import type pg from 'pg'
import { type CommandChange, type CommandOutput, storeCommandEvents } from './command-events.ts'
import type { Doubt } from './connections.ts'
import type { ConnectedRecord, Decoded, Owned } from './decoded.ts'
import { changeStatuses, changeUpdating, type StatusChange, type Verdict } from './device-status.ts'
import { fold, type Plan, unfamiliarBoots } from './fold.ts'
import { storeHeartbeats } from './heartbeats.ts'
import { type DeviceChange, storeAgentVersions, storeInventories } from './inventory.ts'
import { DeviceTable, type KnownDevices } from './known-devices.ts'
import { noteLateMetrics } from './late-metrics.ts'
import { OrderRefusals } from './order-refusals.ts'
import { storeUpdateReports } from './update-reports.ts'
import { storeWatchdogKeys, storeWatchdogStatuses, type WatchdogKey } from './watchdogs.ts'

/** Where a stream's writer stands, and where the read that is being written ends. */
export interface Step {
  stream: string
  from: string
  to: string
}

/** Another worker has written a stream meanwhile: what was read has to be compared with its position again. */
export class PositionMoved extends Error {
  constructor(streams: string, options?: ErrorOptions) {
    super(`The position of ${streams} has to be read anew`, options)
    this.name = 'PositionMoved'
  }
}

/** A read, understood and ready to be written. */
export interface Prepared {
  decoded: Decoded
  devices: DeviceTable
  plan: Plan
}

/** A read with everything that its transaction needs. */
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
  /** Heartbeats of devices that are gone although they were known. */
  vanished: number
  /** Devices that are heard but count as offline. */
  quiet: string[]
  /** Records of devices or commands that do not exist. */
  dropped: number
  statuses: StatusChange[]
  devices: DeviceChange[]
  commands: CommandChange[]
  outputs: CommandOutput[]
  watchdogKeys: WatchdogKey[]
}

const findDevices = {
  name: 'find-devices',
  text: `SELECT u.n::int AS n, d.partner_id, v.agent_version, v.agent_protocol, d.boot_id, d.sequence, (extract(epoch FROM d.last_seen_at) * 1000)::float8 AS seen_ms
    FROM unnest($1::uuid[]) WITH ORDINALITY AS u(id, n) JOIN device_state d ON d.device_id = u.id JOIN devices v ON v.id = u.id`,
}

const findBoots = {
  name: 'find-boots',
  text: `SELECT u.n::int AS n, (
      SELECT max(m.sequence) FROM device_metrics m
      WHERE m.device_id = u.device_id AND m.boot_id = u.boot_id AND m.at > now() - interval '1 hour') AS sequence
    FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS u(device_id, boot_id, n)`,
}

const advancePositions = {
  name: 'advance-positions',
  text: `UPDATE stream_positions p SET entry_id = u.ends, updated_at = now()
    FROM unnest($1::text[], $2::text[], $3::text[]) AS u(stream, begins, ends)
    WHERE p.stream = u.stream AND p.entry_id = u.begins`,
}

const busyStates: ReadonlySet<string> = new Set(['downloading', 'verifying', 'installing', 'restarting'])

/** Writes what shards bring, in one transaction with the positions that the reads end at. */
export class Writer {
  readonly #pool: pg.Pool
  readonly #rowType: number
  readonly #refusals = new OrderRefusals()

  /** @param rowType of `heartbeatRowType` */
  constructor(pool: pg.Pool, rowType: number) {
    this.#pool = pool
    this.#rowType = rowType
  }

  /** Looks up what it does not know of the devices and decides what their records mean. */
  async prepare(decoded: Decoded, cache: KnownDevices): Promise<Prepared> {
    const devices = new DeviceTable(decoded)
    await this.#learn(devices, cache)
    const known = devices.keys.map((key) => cache.find(key))
    const boots = unfamiliarBoots(decoded, known)
    const sequences = await this.#storedSequences(devices, boots)
    const plan = fold(decoded, known, (device, bootId) => sequences.get(`${device}:${bootId}`) ?? 0)
    return { decoded, devices, plan }
  }

  /**
   * Writes reads of different streams, all or none of them.
   * @throws PositionMoved when one of the streams is no longer where its step begins
   */
  async write(works: readonly Work[]): Promise<Written> {
    const reports = owned(works, ({ updates }) => updates)
    const updates = reports.map(({ deviceId, record: { atMs, body } }) => ({
      deviceId,
      // A step that has to be tried again is not being done meanwhile.
      busy: busyStates.has(body.state) && body.reason === undefined,
      atMs,
    }))
    let refusers: string[] = []
    const written = await inTransaction(this.#pool, async (client): Promise<Written> => {
      const [moved, heartbeats, verdicts, versions] = await Promise.all([
        advance(client, works),
        storeHeartbeats(client, this.#rowType, works),
        changeStatuses(
          client,
          works.flatMap(({ verdicts }) => verdicts),
        ),
        storeAgentVersions(client, newVersionsOf(works)),
        noteLateMetrics(client, works, Date.now()),
      ])
      if (moved !== works.length) throw new PositionMoved(works.map(({ step }) => step.stream).join(', '))
      if (heartbeats.vanished > 0 && works.length > 1)
        throw new Error('Devices are gone: which read had them is not known')
      const updating = await changeUpdating(client, updates)
      const inventories = await storeInventories(
        client,
        owned(works, (plan) => plan.inventories),
      )
      const reported = await storeUpdateReports(client, reports)
      const commands = await storeCommandEvents(
        client,
        owned(works, (plan) => plan.commands),
      )
      const watchdogs = await storeWatchdogStatuses(
        client,
        owned(works, (plan) => plan.watchdogStatuses),
      )
      const watchdogKeys = await storeWatchdogKeys(
        client,
        owned(works, (plan) => plan.watchdogKeys),
      )
      refusers = await this.#refusals.store(
        client,
        owned(works, (plan) => plan.refusals),
      )
      const online = new Set(
        verdicts.statuses.flatMap(({ status, deviceId }) => (status === 'online' ? [deviceId] : [])),
      )
      return {
        stored: heartbeats.stored,
        duplicates: heartbeats.duplicates,
        vanished: heartbeats.vanished,
        quiet: heartbeats.quiet.filter((deviceId) => !online.has(deviceId)),
        dropped: works.reduce((sum, { plan }) => sum + plan.unknown, heartbeats.vanished + commands.foreign),
        statuses: [...verdicts.statuses, ...updating],
        devices: [...verdicts.devices, ...versions, ...inventories, ...reported, ...watchdogs, ...commands.devices],
        watchdogKeys,
        commands: commands.changes,
        outputs: commands.outputs,
      }
    })
    this.#refusals.noted(refusers)
    return written
  }

  async #learn(devices: DeviceTable, cache: KnownDevices): Promise<void> {
    const missing: number[] = []
    for (const [index, key] of devices.keys.entries()) if (cache.find(key) === undefined) missing.push(index)
    if (missing.length === 0) return
    const { rows } = await this.#pool.query<{
      n: number
      partner_id: string
      agent_version: string | null
      agent_protocol: number | null
      boot_id: number
      sequence: number
      seen_ms: number | null
    }>({ ...findDevices, values: [missing.map((index) => devices.id(index))] })
    for (const row of rows) {
      const key = devices.keys[missing[row.n - 1] ?? -1]
      if (key === undefined) continue
      cache.set(key, {
        partnerId: row.partner_id,
        agentVersion: row.agent_version,
        agentProtocol: row.agent_protocol,
        bootId: row.boot_id,
        sequence: row.sequence,
        seenAtMs: row.seen_ms ?? 0,
      })
    }
  }

  async #storedSequences(devices: DeviceTable, boots: readonly [number, number][]): Promise<Map<string, number>> {
    if (boots.length === 0) return new Map()
    const { rows } = await this.#pool.query<{ n: number; sequence: number | null }>({
      ...findBoots,
      values: [boots.map(([device]) => devices.id(device)), boots.map(([, bootId]) => bootId)],
    })
    return new Map(rows.map(({ n, sequence }) => [(boots[n - 1] ?? []).join(':'), sequence ?? 0]))
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

/** The records that `choose` finds in the plans, each with its device. */
function owned<R extends { device: number }>(
  works: readonly Prepared[],
  choose: (plan: Plan) => readonly R[],
): Owned<R>[] {
  return works.flatMap(({ plan, devices }) =>
    choose(plan).map((record) => ({ deviceId: devices.id(record.device), record })),
  )
}

function newVersionsOf(
  works: readonly Prepared[],
): { deviceId: string; agentVersion: string; protocol: number; atMs: number }[] {
  const hellos = owned(works, ({ connections }) =>
    connections.flatMap(({ newVersion }): ConnectedRecord[] => (newVersion === null ? [] : [newVersion])),
  )
  return hellos.map(({ deviceId, record }) => ({
    deviceId,
    agentVersion: record.body.agentVersion,
    protocol: record.body.protocol,
    atMs: record.atMs,
  }))
}

/** Remembers what a written plan says of its devices, or forgets them when some were found to be gone. */
export function remember(cache: KnownDevices, { devices, plan }: Prepared, areSomeGone: boolean): void {
  for (const [index, key] of devices.keys.entries()) {
    const after = plan.after[index]
    if (areSomeGone) cache.delete(key)
    else if (after !== undefined) cache.set(key, after)
  }
}
