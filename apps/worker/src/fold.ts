import type {
  CommandRecord,
  ConnectedRecord,
  Decoded,
  DisconnectedRecord,
  InventoryRecord,
  OrderRefusalRecord,
  OtherRecord,
  UpdateStatusRecord,
  WatchdogKeyRecord,
  WatchdogStatusRecord,
} from './decoded.ts'
import type { Known } from './known-devices.ts'

/*
 * Decides, without touching a store, what the records of one read mean. A heartbeat with a higher number than any of
 * its boot before it is new. One with a lower number, or of a boot that is over, is *late*: it may be a resend or one
 * that was overtaken, so the database is asked whether it has it.
 */

/** What happened to one device's connections, in the end. */
export interface ConnectionChange {
  device: number
  agent: ConnectedRecord | DisconnectedRecord | null
  /** The newest hello of the agent, even when it has gone again. */
  agentHello: ConnectedRecord | null
  /** That hello, if its version, or that of its protocol, is not the one that the device had before. */
  newVersion: ConnectedRecord | null
  watchdog: ConnectedRecord | DisconnectedRecord | null
}

export interface Plan {
  /** Rows (indexes into the heartbeats) that become the state of their device; one per device. */
  newest: number[]
  /** Further new rows, older than those. */
  earlier: number[]
  /** Rows that are new only if the database does not have them. */
  late: number[]
  connections: ConnectionChange[]
  commands: CommandRecord[]
  inventories: InventoryRecord[]
  updates: UpdateStatusRecord[]
  watchdogStatuses: WatchdogStatusRecord[]
  watchdogKeys: WatchdogKeyRecord[]
  refusals: OrderRefusalRecord[]
  /** Records of devices that do not exist. */
  unknown: number
  /** What will be known of each device once the plan is written; undefined where nothing changed. */
  after: (Known | undefined)[]
}

/** Highest stored sequence of a boot that is not the device's current one; 0 when there is none. */
export type StoredSequence = (device: number, bootId: number) => number

/** The boots of a read that are not the known one of their device: each as device and boot, once. */
export function unfamiliarBoots(decoded: Decoded, known: readonly (Known | undefined)[]): [number, number][] {
  const found = new Map<string, [number, number]>()
  const look = (device: number, bootId: number) => {
    const before = known[device]
    // A device without a boot has never sent anything that could come again.
    if (before === undefined || before.bootId === bootId || before.bootId === 0) return
    found.set(`${device}:${bootId}`, [device, bootId])
  }
  const { heartbeats, others } = decoded
  for (let row = 0; row < heartbeats.count; row++) look(heartbeats.device[row] ?? 0, heartbeats.bootId[row] ?? 0)
  for (const record of others)
    if (record.kind === 'connected' && record.body.role === 'agent') look(record.device, record.bootId)
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
  /** Sequences of boots that were current earlier in this read, by `device:boot`. */
  left: Map<string, number>
  connections: Map<number, ConnectionChange>
  inventories: Map<number, InventoryRecord>
  updates: Map<number, UpdateStatusRecord>
  watchdogStatuses: Map<number, WatchdogStatusRecord>
  watchdogKeys: Map<number, WatchdogKeyRecord>
  plan: Plan
}

/** Folds the records of one read, in order, into a plan. */
export function fold(
  decoded: Decoded,
  known: readonly (Known | undefined)[],
  storedSequence: StoredSequence = () => 0,
): Plan {
  const folding = startFolding(known, storedSequence)
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

function startFolding(known: readonly (Known | undefined)[], storedSequence: StoredSequence): Folding {
  const size = known.length
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
    inventories: new Map(),
    updates: new Map(),
    watchdogStatuses: new Map(),
    watchdogKeys: new Map(),
    plan: {
      newest: [],
      earlier: [],
      late: [],
      connections: [],
      commands: [],
      inventories: [],
      updates: [],
      watchdogStatuses: [],
      watchdogKeys: [],
      refusals: [],
      unknown: 0,
      after: [],
    },
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

/** Makes a boot the current one if it was heard of later than the one before; says whether it is. */
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
  switch (record.kind) {
    case 'connected':
    case 'disconnected':
      foldConnection(folding, record)
      return
    case 'inventory':
      folding.inventories.set(record.device, record)
      return
    case 'updateStatus':
      foldUpdate(folding, record)
      return
    case 'watchdogStatus':
      folding.watchdogStatuses.set(record.device, record)
      return
    case 'watchdogKey':
      folding.watchdogKeys.set(record.device, record)
      return
    case 'refusal':
      plan.refusals.push(record)
      return
    default:
      plan.commands.push(record)
  }
}

/** The newest report counts; a list of barred versions stands until another one comes. */
function foldUpdate({ updates }: Folding, record: UpdateStatusRecord): void {
  const barred = record.body.barred ?? updates.get(record.device)?.body.barred
  updates.set(record.device, barred === undefined ? record : { ...record, body: { ...record.body, barred } })
}

function foldConnection(folding: Folding, record: ConnectedRecord | DisconnectedRecord): void {
  const { device } = record
  let change = folding.connections.get(device)
  if (change === undefined) {
    change = { device, agent: null, agentHello: null, newVersion: null, watchdog: null }
    folding.connections.set(device, change)
  }
  if (record.body.role === 'watchdog') {
    change.watchdog = record
    return
  }
  change.agent = record
  if (record.kind !== 'connected') return
  change.agentHello = record
  const { agentVersion, agentProtocol } = folding.known[device] ?? {}
  change.newVersion =
    record.body.agentVersion === agentVersion && record.body.protocol === agentProtocol ? null : record
  if (folding.bootId[device] !== record.bootId) enterBoot(folding, device, record.bootId, record.atMs)
  see(folding, device, record.atMs)
}

function finish(folding: Folding): Plan {
  const { plan, known } = folding
  plan.after = known.map((before, device) => {
    if (before === undefined || folding.touched[device] === 0) return undefined
    return {
      partnerId: before.partnerId,
      agentVersion: folding.connections.get(device)?.agentHello?.body.agentVersion ?? before.agentVersion,
      agentProtocol: folding.connections.get(device)?.agentHello?.body.protocol ?? before.agentProtocol,
      bootId: folding.bootId[device] ?? 0,
      sequence: folding.sequence[device] ?? 0,
      seenAtMs: folding.seenAtMs[device] ?? 0,
    }
  })
  for (const row of folding.newest) if (row >= 0) plan.newest.push(row)
  plan.connections = [...folding.connections.values()]
  plan.inventories = [...folding.inventories.values()]
  plan.updates = [...folding.updates.values()]
  plan.watchdogStatuses = [...folding.watchdogStatuses.values()]
  plan.watchdogKeys = [...folding.watchdogKeys.values()]
  return plan
}
