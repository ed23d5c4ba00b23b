import { downStream, downStreamEntriesMax, downStreamIdleMs, flowField, nodeLease, ordersField } from './keys.ts'
import { pack, unpack } from './pack.ts'
import { holdersOf } from './presence.ts'
import type { Redis } from './redis.ts'

/** Something for one device's socket: a ready frame, a request that somebody waits for, or the end of the connection. */
export type Order =
  | { kind: 'frame'; deviceId: string; bytes: Uint8Array; commandId?: string }
  | { kind: 'request'; deviceId: string; bytes: Uint8Array; number: number; replyTo: string }
  | { kind: 'close'; deviceId: string; code: number; reason: string; connection?: number }

export interface Routing {
  /** Devices whose node was told, each once. */
  routed: string[]
  /** Devices that no living node holds, each once. */
  offline: string[]
}

// One entry stays far below what Redis and a node's event loop take in one go.
const ordersPerEntry = 1_000
const bytesPerEntry = 4 * 1024 * 1024

/** Devices looked up together. The first are on their way to their sockets while others are still being looked for. */
const devicesAtOnce = 1_000

/**
 * Finds the node of every device and hands it the orders, some devices after the other but without waiting in between.
 * @param flow whose orders they are: nodes serve flows in turn, and keep the order within each
 */
export async function sendToDevices(redis: Redis, orders: readonly Order[], flow = ''): Promise<Routing> {
  const ofDevices = new Map<string, Order[]>()
  for (const order of orders) {
    const list = ofDevices.get(order.deviceId)
    if (list === undefined) ofDevices.set(order.deviceId, [order])
    else list.push(order)
  }
  const devices = [...ofDevices]
  const slices: Promise<Routing>[] = []
  for (let from = 0; from < devices.length; from += devicesAtOnce)
    slices.push(sendSlice(redis, new Map(devices.slice(from, from + devicesAtOnce)), flow))
  const parts = await Promise.all(slices)
  return { routed: parts.flatMap(({ routed }) => routed), offline: parts.flatMap(({ offline }) => offline) }
}

async function sendSlice(
  redis: Redis,
  ofDevices: ReadonlyMap<string, readonly Order[]>,
  flow: string,
): Promise<Routing> {
  const holders = await holdersOf(redis, ofDevices.keys())
  const perNode = Map.groupBy(holders.keys(), (deviceId) => holders.get(deviceId)?.node ?? '')
  const alive = new Set<string>()
  // Both at once: orders for a node that is dead lie in a stream that nobody reads and that ends by itself.
  const tell = async (node: string, deviceIds: readonly string[]) => {
    const orders = deviceIds.flatMap((deviceId) => ofDevices.get(deviceId) ?? [])
    const [isAlive] = await Promise.all([isLiving(redis, node), sendToNode(redis, node, orders, flow)])
    if (isAlive) alive.add(node)
  }
  await Promise.all([...perNode].map(([node, deviceIds]) => tell(node, deviceIds)))
  const { routed = [], offline = [] } = Object.groupBy(ofDevices.keys(), (deviceId) =>
    alive.has(holders.get(deviceId)?.node ?? '') ? 'routed' : 'offline',
  )
  return { routed, offline }
}

/** Node of each device whose agent (not watchdog) is connected to a node that is alive. */
export async function nodesOf(redis: Redis, deviceIds: Iterable<string>): Promise<Map<string, string>> {
  const holders = await holdersOf(redis, deviceIds)
  const alive = await livingNodes(redis, new Set([...holders.values()].map((holder) => holder.node)))
  const nodes = new Map<string, string>()
  for (const [deviceId, holder] of holders) if (alive.has(holder.node)) nodes.set(deviceId, holder.node)
  return nodes
}

/** Those of the nodes whose lease stands. */
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
export async function sendToNode(redis: Redis, node: string, orders: readonly Order[], flow = ''): Promise<void> {
  const key = downStream(node)
  const writes: Promise<unknown>[] = []
  for (const entry of entriesOf(orders))
    writes.push(
      redis.xadd(key, 'MAXLEN', '~', downStreamEntriesMax, '*', ordersField, encodeOrders(entry), flowField, flow),
    )
  if (writes.length > 0) writes.push(redis.pexpire(key, downStreamIdleMs))
  await Promise.all(writes)
}

function* entriesOf(orders: readonly Order[]): Generator<Order[]> {
  let entry: Order[] = []
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
export function encodeOrders(orders: readonly Order[]): Buffer {
  const items: (unknown[] | SharedFrame)[] = []
  for (const order of orders) {
    const before = items.at(-1)
    const isPlain = order.kind === 'frame' && order.commandId === undefined && order.deviceId.length === deviceIdChars
    // One frame for many devices, as a signal to a whole fleet is, stands in the entry once.
    if (isPlain && before instanceof SharedFrame && before.bytes === order.bytes) before.ids += order.deviceId
    else items.push(isPlain ? new SharedFrame(order.deviceId, order.bytes) : fieldsOf(order))
  }
  return pack(items.map((item) => (item instanceof SharedFrame ? ['frames', item.ids, item.bytes] : item)))
}

/** A frame and the ids, one behind the other, of the devices that it is for. */
class SharedFrame {
  ids: string
  readonly bytes: Uint8Array

  constructor(ids: string, bytes: Uint8Array) {
    this.ids = ids
    this.bytes = bytes
  }
}

function fieldsOf(order: Order): unknown[] {
  const { kind, deviceId } = order
  if (kind === 'frame') return [kind, deviceId, order.bytes, order.commandId ?? null]
  if (kind === 'request') return [kind, deviceId, order.bytes, order.replyTo, order.number]
  const { code, reason, connection = null } = order
  return [kind, deviceId, pack({ code, reason, connection })]
}

/** Reads an entry of a node's stream; what is not an order is left out. */
export function decodeOrders(bytes: Uint8Array): Order[] {
  const list = unpack(bytes)
  return Array.isArray(list) ? list.flatMap((item) => sharedOrdersOf(item) ?? orderOf(item) ?? []) : []
}

const deviceIdChars = 36
const deviceField = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/watchdog)?$/

function sharedOrdersOf(item: unknown): Order[] | undefined {
  if (!Array.isArray(item) || item[0] !== 'frames') return undefined
  const [, ids, bytes]: unknown[] = item
  if (typeof ids !== 'string' || !(bytes instanceof Uint8Array)) return []
  const orders: Order[] = []
  for (let at = 0; at < ids.length; at += deviceIdChars) {
    const deviceId = ids.slice(at, at + deviceIdChars)
    if (deviceField.test(deviceId)) orders.push({ kind: 'frame', deviceId, bytes })
  }
  return orders
}

function orderOf(item: unknown): Order | undefined {
  if (!Array.isArray(item)) return undefined
  const [kind, deviceId, bytes, about, number]: unknown[] = item
  if (typeof deviceId !== 'string' || !deviceField.test(deviceId) || !(bytes instanceof Uint8Array)) return undefined
  if (kind === 'frame') return { kind, deviceId, bytes, ...(typeof about === 'string' ? { commandId: about } : {}) }
  if (kind === 'request' && typeof about === 'string' && typeof number === 'number')
    return { kind, deviceId, bytes, replyTo: about, number }
  return kind === 'close' ? closeOrderOf(deviceId, unpack(bytes)) : undefined
}

function closeOrderOf(deviceId: string, close: unknown): Order | undefined {
  if (typeof close !== 'object' || close === null || !('code' in close) || !('reason' in close)) return undefined
  const { code, reason } = close
  if (typeof code !== 'number' || typeof reason !== 'string') return undefined
  const connection = 'connection' in close && typeof close.connection === 'number' ? close.connection : undefined
  return { kind: 'close', deviceId, code, reason, ...(connection === undefined ? {} : { connection }) }
}
