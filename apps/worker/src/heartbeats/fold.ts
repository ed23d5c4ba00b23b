import type { RecordStore } from '@muster/areas/background/record.ts'
import type { AreaRecord, ConnectedRecord, Decoded, DisconnectedRecord, OtherRecord } from './decoded.ts'
import type { Known } from './known-devices.ts'

/*
 * Decides what the records of one read mean, without a store. A heartbeat with a higher number than all earlier ones of its
 * boot is new. One with a lower number, or of an earlier boot, is *late*: it may be stored already, so the database is asked.
 */

/** How records are stored, by their name. */
export type RecordStores = ReadonlyMap<AreaRecord['name'], RecordStore>

/** The last state of the connections of one device. */
export interface ConnectionChange {
  device: number
  agent: ConnectedRecord | DisconnectedRecord | null
  /** The newest hello of the agent, even if it disconnected afterward. */
  agentHello: ConnectedRecord | null
  /** That hello, if the version of the agent or of its protocol changed, or its capabilities. */
  changedHello: ConnectedRecord | null
  watchdog: ConnectedRecord | DisconnectedRecord | null
}

export interface Plan {
  /** Rows (indexes into the heartbeats) that become the state of their device; one per device. */
  newest: number[]
  /** Further new rows, older than those. */
  earlier: number[]
  /** Rows to store only if the database does not have them. */
  late: number[]
  connections: ConnectionChange[]
  /** For each store the records that it receives, in the order of the stream. */
  records: ReadonlyMap<RecordStore, readonly AreaRecord[]>
  /** Records of devices that do not exist. */
  unknown: number
  /** What is known about each device after the commit; undefined if unchanged. */
  after: (Known | undefined)[]
}

/** Highest stored sequence number of a boot that is not current; 0 if there is none. */
export type StoredSequence = (device: number, bootId: number) => number

/** The boots in a read that are not the current one of their device, each once as device and boot. */
export function unfamiliarBoots(decoded: Decoded, known: readonly (Known | undefined)[]): [number, number][] {
  const found = new Map<string, [number, number]>()
  const look = (device: number, bootId: number) => {
    const before = known[device]
    // A device without a boot has not sent anything yet that could be repeated.
    if (before === undefined || before.bootId === bootId || before.bootId === 0) return
    found.set(`${device}:${bootId}`, [device, bootId])
  }
  const { heartbeats, others } = decoded
  for (let row = 0; row < heartbeats.count; row++) look(heartbeats.device[row] ?? 0, heartbeats.bootId[row] ?? 0)
  for (const record of others)
    if (record.name === 'connected' && record.body.role === 'agent') look(record.device, record.bootId)
  return [...found.values()]
}

interface Folding {
  known: readonly (Known | undefined)[]
  storedSequence: StoredSequence
  bootId: Float64Array
  sequence: Float64Array
  seenAtMs: Float64Array
  newest: Int32Array
  touched: Uint8Array
  /** Sequence numbers of boots that were current earlier in this read, by `device:boot`. */
  left: Map<string, number>
  connections: Map<number, ConnectionChange>
  stores: RecordStores
  records: Map<RecordStore, AreaRecord[]>
  /** Positions in those lists of records of which only the latest counts, by name and device. */
  latest: Map<string, number>
  plan: Plan
}

/** Folds the records of one read, in order, into a plan. */
export function fold(
  decoded: Decoded,
  known: readonly (Known | undefined)[],
  stores: RecordStores,
  storedSequence: StoredSequence = () => 0,
): Plan {
  const folding = startFolding(known, stores, storedSequence)
  const { heartbeats, others } = decoded
  let next = 0
  for (let row = 0; row < heartbeats.count; row++) {
    const order = heartbeats.order[row] ?? 0
    for (let other = others[next]; other !== undefined && other.order < order; other = others[++next])
      foldOther(folding, other)
    foldHeartbeat(folding, decoded, row)
  }
  for (const other of others.slice(next)) foldOther(folding, other)
  return finish(folding)
}

function startFolding(
  known: readonly (Known | undefined)[],
  stores: RecordStores,
  storedSequence: StoredSequence,
): Folding {
  const size = known.length
  const records = new Map<RecordStore, AreaRecord[]>()
  return {
    known,
    storedSequence,
    bootId: Float64Array.from(known, (device) => device?.bootId ?? 0),
    sequence: Float64Array.from(known, (device) => device?.sequence ?? 0),
    seenAtMs: Float64Array.from(known, (device) => device?.seenAtMs ?? 0),
    newest: new Int32Array(size).fill(-1),
    touched: new Uint8Array(size),
    left: new Map(),
    connections: new Map(),
    stores,
    records,
    latest: new Map(),
    plan: { newest: [], earlier: [], late: [], connections: [], records, unknown: 0, after: [] },
  }
}

function foldHeartbeat(folding: Folding, { heartbeats }: Decoded, row: number): void {
  const device = heartbeats.device[row] ?? 0
  const { plan, newest } = folding
  if (folding.known[device] === undefined) {
    plan.unknown++
    return
  }
  const bootId = heartbeats.bootId[row] ?? 0
  const sequence = heartbeats.sequence[row] ?? 0
  const atMs = heartbeats.atMs[row] ?? 0
  const current = folding.bootId[device] === bootId || enterBoot(folding, device, bootId, atMs)
  if (!current || sequence <= (folding.sequence[device] ?? 0)) {
    plan.late.push(row)
    return
  }
  folding.sequence[device] = sequence
  see(folding, device, atMs)
  const before = newest[device] ?? -1
  if (before >= 0) plan.earlier.push(before)
  newest[device] = row
}

/** Makes a boot the current one if it is newer than the one before. @returns whether it is current */
function enterBoot(folding: Folding, device: number, bootId: number, atMs: number): boolean {
  const before = folding.bootId[device] ?? 0
  if (before !== 0 && atMs <= (folding.seenAtMs[device] ?? 0)) return false
  const key = `${device}:${bootId}`
  folding.left.set(`${device}:${before}`, folding.sequence[device] ?? 0)
  folding.sequence[device] = folding.left.get(key) ?? (before === 0 ? 0 : folding.storedSequence(device, bootId))
  folding.bootId[device] = bootId
  return true
}

function see(folding: Folding, device: number, atMs: number): void {
  folding.touched[device] = 1
  if (atMs > (folding.seenAtMs[device] ?? 0)) folding.seenAtMs[device] = atMs
}

function foldOther(folding: Folding, record: OtherRecord): void {
  const { plan } = folding
  if (folding.known[record.device] === undefined) {
    plan.unknown++
    return
  }
  if (record.name === 'connected' || record.name === 'disconnected') foldConnection(folding, record)
  else foldRecord(folding, record)
}

function foldRecord({ stores, records, latest }: Folding, record: AreaRecord): void {
  const store = stores.get(record.name)
  if (store === undefined) throw new Error(`No area stores ${record.name}`)
  const list = records.get(store) ?? []
  if (list.length === 0) records.set(store, list)
  if (store.keep === 'all') {
    list.push(record)
    return
  }
  const key = `${record.name} ${record.device}`
  const at = latest.get(key)
  const earlier = at === undefined ? undefined : list[at]
  if (at === undefined || earlier === undefined) latest.set(key, list.push(record) - 1)
  else list[at] = { ...record, ...store.combine?.(earlier, record) }
}

function foldConnection(folding: Folding, record: ConnectedRecord | DisconnectedRecord): void {
  const { device } = record
  let change = folding.connections.get(device)
  if (change === undefined) {
    change = { device, agent: null, agentHello: null, changedHello: null, watchdog: null }
    folding.connections.set(device, change)
  }
  if (record.body.role === 'watchdog') {
    change.watchdog = record
    return
  }
  change.agent = record
  if (record.name !== 'connected') return
  change.agentHello = record
  change.changedHello = saysTheSame(record, folding.known[device]) ? null : record
  if (folding.bootId[device] !== record.bootId) enterBoot(folding, device, record.bootId, record.atMs)
  see(folding, device, record.atMs)
}

function saysTheSame({ body }: ConnectedRecord, known: Known | undefined): boolean {
  return (
    body.agentVersion === known?.agentVersion &&
    body.protocol === known.agentProtocol &&
    (body.capabilities ?? null) === known.capabilities
  )
}

function finish(folding: Folding): Plan {
  const { plan, known } = folding
  plan.after = known.map((before, device) => {
    if (before === undefined || folding.touched[device] === 0) return undefined
    const hello = folding.connections.get(device)?.agentHello?.body
    return {
      partnerId: before.partnerId,
      agentVersion: hello === undefined ? before.agentVersion : hello.agentVersion,
      agentProtocol: hello === undefined ? before.agentProtocol : hello.protocol,
      capabilities: hello === undefined ? before.capabilities : (hello.capabilities ?? null),
      bootId: folding.bootId[device] ?? 0,
      sequence: folding.sequence[device] ?? 0,
      seenAtMs: folding.seenAtMs[device] ?? 0,
      memory: before.memory,
    }
  })
  for (const row of folding.newest) if (row >= 0) plan.newest.push(row)
  plan.connections = [...folding.connections.values()]
  return plan
}
