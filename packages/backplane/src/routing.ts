import { shardOf } from './device-id.ts'
import {
  downStream,
  downStreamEntriesMax,
  downStreamIdleMs,
  flowField,
  nodeLease,
  ordersField,
  presenceShards,
} from './keys.ts'
import { pack, unpack } from './pack.ts'
import { deviceOfField, holdersOf, nodesIn } from './presence.ts'
import type { Redis } from './redis.ts'

/** For one device's socket: a ready frame, a request whose reply is awaited, or the end of the connection. */
export type DeliveryOrder =
  | { kind: 'frame'; deviceId: string; bytes: Uint8Array; commandId?: string }
  | { kind: 'request'; deviceId: string; bytes: Uint8Array; number: number; replyTo: string }
  | { kind: 'close'; deviceId: string; code: number; reason: string; connection?: number }

export interface Routing {
  /** Devices without a connection to a live node, each once. */
  offline: string[]
}

// One entry stays well below what Redis and a node's event loop handle at once.
const ordersPerEntry = 1_000
const bytesPerEntry = 4 * 1024 * 1024

/** Approximate number of orders looked up together. The first are sent while others are still being looked up. */
const ordersAtOnce = 1_000

/**
 * Finds the node of every device and sends it the orders. Orders of one device keep their sequence.
 * @param flow the tenant of the orders: nodes serve flows in turn
 */
export async function sendToDevices(redis: Redis, orders: readonly DeliveryOrder[], flow = ''): Promise<Routing> {
  const known = new Map<string, Promise<boolean>>()
  const isAlive = (node: string) => {
    const asked = known.get(node) ?? isLiving(redis, node)
    known.set(node, asked)
    return asked
  }
  const absent = await Promise.all(slicesOf(orders).map((slice) => sendSlice(redis, slice, flow, isAlive)))
  return { offline: [...new Set(absent.flat())] }
}

/** Orders by the shard of their devices. */
type Slice = readonly (readonly [number, DeliveryOrder[]])[]

/** Groups whole shards, so that one device is looked up once and its orders stay together. */
function slicesOf(orders: readonly DeliveryOrder[]): Slice[] {
  const shards: DeliveryOrder[][] = Array.from({ length: presenceShards }, () => [])
  for (const order of orders) shards[shardOf(deviceOfField(order.deviceId), presenceShards)]?.push(order)
  const slices: Slice[] = []
  let slice: [number, DeliveryOrder[]][] = []
  let size = 0
  for (const [shard, list] of shards.entries()) {
    if (list.length === 0) continue
    slice.push([shard, list])
    size += list.length
    if (size < ordersAtOnce) continue
    slices.push(slice)
    slice = []
    size = 0
  }
  return slice.length === 0 ? slices : [...slices, slice]
}

/** @returns the devices without a connection to a live node */
async function sendSlice(
  redis: Redis,
  slice: Slice,
  flow: string,
  isAlive: (node: string) => Promise<boolean>,
): Promise<string[]> {
  const idsOf = (orders: readonly DeliveryOrder[]) => orders.map(({ deviceId }) => deviceId)
  const holders = await Promise.all(slice.map(([shard, orders]) => nodesIn(redis, shard, idsOf(orders))))
  const perNode = new Map<string, DeliveryOrder[]>()
  const absent: string[] = []
  for (const [part, [, orders]] of slice.entries()) {
    const nodes = holders[part] ?? []
    for (const [index, order] of orders.entries()) {
      const node = nodes[index]
      const list = node === undefined ? undefined : perNode.get(node)
      if (node === undefined) absent.push(order.deviceId)
      else if (list === undefined) perNode.set(node, [order])
      else list.push(order)
    }
  }
  // Both at once: orders for a dead node are in a stream that is not read and expires.
  const tell = async ([node, orders]: [string, DeliveryOrder[]]) => {
    const [isThere] = await Promise.all([isAlive(node), sendToNode(redis, node, orders, flow)])
    if (!isThere) absent.push(...idsOf(orders))
  }
  await Promise.all([...perNode].map(tell))
  return absent
}

/** The node of each device whose agent (not watchdog) is connected to a live node. */
export async function nodesOf(redis: Redis, deviceIds: Iterable<string>): Promise<Map<string, string>> {
  const holders = await holdersOf(redis, deviceIds)
  const alive = await livingNodes(redis, new Set([...holders.values()].map((holder) => holder.node)))
  const nodes = new Map<string, string>()
  for (const [deviceId, holder] of holders) if (alive.has(holder.node)) nodes.set(deviceId, holder.node)
  return nodes
}

/** The nodes with a valid lease. */
export async function livingNodes(redis: Redis, nodes: ReadonlySet<string>): Promise<Set<string>> {
  const alive = new Set<string>()
  const check = async (node: string) => {
    if (await isLiving(redis, node)) alive.add(node)
  }
  await Promise.all([...nodes].map(check))
  return alive
}

const isLiving = async (redis: Redis, node: string) => (await redis.exists(nodeLease(node))) === 1

/** Appends orders to one node's stream, in few entries. */
export async function sendToNode(
  redis: Redis,
  node: string,
  orders: readonly DeliveryOrder[],
  flow = '',
): Promise<void> {
  const key = downStream(node)
  const writes: Promise<unknown>[] = []
  for (const entry of entriesOf(orders))
    writes.push(
      redis.xadd(key, 'MAXLEN', '~', downStreamEntriesMax, '*', ordersField, encodeOrders(entry), flowField, flow),
    )
  if (writes.length > 0) writes.push(redis.pexpire(key, downStreamIdleMs))
  await Promise.all(writes)
}

function* entriesOf(orders: readonly DeliveryOrder[]): Generator<DeliveryOrder[]> {
  let entry: DeliveryOrder[] = []
  let bytes = 0
  for (const order of orders) {
    const size = order.kind === 'close' ? 0 : order.bytes.length
    if (entry.length > 0 && (entry.length === ordersPerEntry || bytes + size > bytesPerEntry)) {
      yield entry
      entry = []
      bytes = 0
    }
    entry.push(order)
    bytes += size
  }
  if (entry.length > 0) yield entry
}

/** The value of one entry of a node's stream. */
export function encodeOrders(orders: readonly DeliveryOrder[]): Buffer {
  const items: (unknown[] | SharedFrame)[] = []
  for (const order of orders) {
    const before = items.at(-1)
    const isPlain = order.kind === 'frame' && order.commandId === undefined && order.deviceId.length === deviceIdChars
    // One frame for many devices, such as a signal to a fleet, is stored once in the entry.
    if (isPlain && before instanceof SharedFrame && before.bytes === order.bytes) before.ids.push(order.deviceId)
    else items.push(isPlain ? new SharedFrame(order.deviceId, order.bytes) : fieldsOf(order))
  }
  return pack(items.map((item) => (item instanceof SharedFrame ? ['frames', item.ids.join(''), item.bytes] : item)))
}

/** A frame and the IDs of the devices that it is for. */
class SharedFrame {
  readonly ids: string[]
  readonly bytes: Uint8Array

  constructor(id: string, bytes: Uint8Array) {
    this.ids = [id]
    this.bytes = bytes
  }
}

function fieldsOf(order: DeliveryOrder): unknown[] {
  const { kind, deviceId } = order
  if (kind === 'frame') return [kind, deviceId, order.bytes, order.commandId ?? null]
  if (kind === 'request') return [kind, deviceId, order.bytes, order.replyTo, order.number]
  const { code, reason, connection = null } = order
  return [kind, deviceId, pack({ code, reason, connection })]
}

/** Decodes an entry of a node's stream; invalid orders are skipped. */
export function decodeOrders(bytes: Uint8Array): DeliveryOrder[] {
  const list = unpack(bytes)
  return Array.isArray(list) ? list.flatMap((item) => sharedOrdersOf(item) ?? orderOf(item) ?? []) : []
}

const deviceIdChars = 36
const deviceField = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/watchdog)?$/
/** Several IDs without separators. */
const deviceIds = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})*$/

function sharedOrdersOf(item: unknown): DeliveryOrder[] | undefined {
  if (!Array.isArray(item) || item[0] !== 'frames') return undefined
  const [, ids, bytes]: unknown[] = item
  if (typeof ids !== 'string' || !deviceIds.test(ids) || !(bytes instanceof Uint8Array)) return []
  const orders: DeliveryOrder[] = []
  for (let at = 0; at < ids.length; at += deviceIdChars)
    orders.push({ kind: 'frame', deviceId: ids.slice(at, at + deviceIdChars), bytes })
  return orders
}

function orderOf(item: unknown): DeliveryOrder | undefined {
  if (!Array.isArray(item)) return undefined
  const [kind, deviceId, bytes, about, number]: unknown[] = item
  if (typeof deviceId !== 'string' || !deviceField.test(deviceId) || !(bytes instanceof Uint8Array)) return undefined
  if (kind === 'frame') return { kind, deviceId, bytes, ...(typeof about === 'string' ? { commandId: about } : {}) }
  if (kind === 'request' && typeof about === 'string' && typeof number === 'number')
    return { kind, deviceId, bytes, replyTo: about, number }
  return kind === 'close' ? closeOrderOf(deviceId, unpack(bytes)) : undefined
}

function closeOrderOf(deviceId: string, close: unknown): DeliveryOrder | undefined {
  if (typeof close !== 'object' || close === null || !('code' in close) || !('reason' in close)) return undefined
  const { code, reason } = close
  if (typeof code !== 'number' || typeof reason !== 'string') return undefined
  const connection = 'connection' in close && typeof close.connection === 'number' ? close.connection : undefined
  return { kind: 'close', deviceId, code, reason, ...(connection === undefined ? {} : { connection }) }
}
