import { shardOf } from './device-id.ts'
import { presenceHash, presenceShards } from './keys.ts'
import type { Redis } from './redis.ts'

/** One connection of a device in presence. */
export interface Holding {
  /** Device ID, with the suffix `/watchdog` when the watchdog holds the connection. */
  field: string
  node: string
  connection: number
}

const fieldsPerCommand = 2_000
const deviceIdChars = 36

export function presenceField(deviceId: string, role: 'agent' | 'watchdog'): string {
  return role === 'agent' ? deviceId : `${deviceId}/watchdog`
}

/** Which of the device's two programs holds the connection. */
export function roleOfField(field: string): 'agent' | 'watchdog' {
  return field.length === deviceIdChars ? 'agent' : 'watchdog'
}

/** The device of a presence field. */
export function deviceOfField(field: string): string {
  return field.slice(0, deviceIdChars)
}

// Returns the previous holder of each field.
const takeOver = `
local before = redis.call('HMGET', KEYS[1], unpack(ARGV, 1, #ARGV / 2))
for i = 1, #ARGV / 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[#ARGV / 2 + i]) end
return before`

// Leaves a field alone that another connection has taken over.
const letGo = `
local half = #ARGV / 2
local removed = 0
for i = 1, half do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[half + i] then removed = removed + redis.call('HDEL', KEYS[1], ARGV[i]) end
end
return removed`

const forgetNode = `
local removed = 0
for i = 2, #ARGV do
  local holder = redis.call('HGET', KEYS[1], ARGV[i])
  if holder and string.sub(holder, 1, #ARGV[1]) == ARGV[1] then removed = removed + redis.call('HDEL', KEYS[1], ARGV[i]) end
end
return removed`

/** Records the holdings and returns those that they replaced, on any node. */
export async function takePresence(redis: Redis, holdings: readonly Holding[]): Promise<Holding[]> {
  const replaced: Holding[] = []
  await perShard(
    holdings,
    (holding) => holding.field,
    async (key, slice) => {
      const fields = slice.map((holding) => holding.field)
      const before: unknown = await redis.eval(takeOver, 1, key, ...fields, ...slice.map(holderOf))
      if (!Array.isArray(before)) return
      for (const [index, holding] of slice.entries()) {
        const old = parseHolder(holding.field, before[index])
        if (old && (old.node !== holding.node || old.connection !== holding.connection)) replaced.push(old)
      }
    },
  )
  return replaced
}

/** Removes the holdings that are unchanged. */
export async function dropPresence(redis: Redis, holdings: readonly Holding[]): Promise<void> {
  await perShard(
    holdings,
    (holding) => holding.field,
    async (key, slice) => {
      await redis.eval(letGo, 1, key, ...slice.map((holding) => holding.field), ...slice.map(holderOf))
    },
  )
}

/** Removes the fields that a dead node still holds. */
export async function forgetNodePresence(redis: Redis, node: string, fields: readonly string[]): Promise<void> {
  await perShard(
    fields,
    (field) => field,
    async (key, slice) => {
      await redis.eval(forgetNode, 1, key, `${node}:`, ...slice)
    },
  )
}

/** The holder of each of these fields; fields without a holder are absent. */
export async function holdersOf(redis: Redis, fields: Iterable<string>): Promise<Map<string, Holding>> {
  const holders = new Map<string, Holding>()
  await perShard(
    [...fields],
    (field) => field,
    async (key, slice) => {
      const values = await redis.hmget(key, ...slice)
      for (const [index, field] of slice.entries()) {
        const holding = parseHolder(field, values[index])
        if (holding) holders.set(field, holding)
      }
    },
  )
  return holders
}

/** The node of each field of one shard, in the given order. */
export async function nodesIn(redis: Redis, shard: number, fields: readonly string[]): Promise<(string | undefined)[]> {
  const asked: Promise<(string | null)[]>[] = []
  for (let start = 0; start < fields.length; start += fieldsPerCommand)
    asked.push(redis.hmget(presenceHash(shard), ...fields.slice(start, start + fieldsPerCommand)))
  return (await Promise.all(asked)).flat().map((holder) => (holder === null ? undefined : nodeOf(holder)))
}

const nodeOf = (holder: string): string | undefined => {
  const colon = holder.lastIndexOf(':')
  return colon < 1 ? undefined : holder.slice(0, colon)
}

function holderOf(holding: Holding): string {
  return `${holding.node}:${holding.connection}`
}

function parseHolder(field: string, value: unknown): Holding | undefined {
  if (typeof value !== 'string') return undefined
  const node = nodeOf(value)
  return node === undefined ? undefined : { field, node, connection: Number(value.slice(node.length + 1)) }
}

async function perShard<Item>(
  items: readonly Item[],
  fieldOf: (item: Item) => string,
  use: (key: string, slice: Item[]) => Promise<void>,
): Promise<void> {
  const shards = new Map<number, Item[]>()
  for (const item of items) {
    const shard = shardOf(deviceOfField(fieldOf(item)), presenceShards)
    const list = shards.get(shard)
    if (list === undefined) shards.set(shard, [item])
    else list.push(item)
  }
  const uses: Promise<void>[] = []
  for (const [shard, list] of shards)
    for (let start = 0; start < list.length; start += fieldsPerCommand)
      uses.push(use(presenceHash(shard), list.slice(start, start + fieldsPerCommand)))
  await Promise.all(uses)
}
