// Stream entries that could not be stored. Workers move them here; operators inspect and replay them.
import { readBatch, recordKinds } from '@muster/backplane/batch.ts'
import { deviceIdFromBytes } from '@muster/backplane/device-id.ts'
import { fieldOf } from '@muster/backplane/entry.ts'
import { batchField, deadStream, shardStream } from '@muster/backplane/keys.ts'
import { unpack } from '@muster/backplane/pack.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { decodeUp } from '@muster/wire/up.ts'

/** An entry of a shard's stream that could not be stored. */
export interface DeadLetter {
  shard: number
  id: string
  /** The original entry, or the entry that it was a part of. */
  from: string
  tries: number
  error: string
  batch: Buffer
}

/** A record of a dead letter in readable form. */
export interface ShownRecord {
  kind: string
  deviceId: string
  bootId: number
  sequence: number
  receivedAt: string
  body: unknown
}

const kindNames = new Map<number, string>(Object.entries(recordKinds).map(([name, kind]) => [kind, name]))

/** The dead letters of a shard, oldest first, starting behind `after` if given. */
export async function* deadLetters(
  redis: Redis,
  shard: number,
  after: string | null = null,
  perRead = 500,
): AsyncGenerator<DeadLetter> {
  for (let from = after === null ? '-' : `(${after}`; ; ) {
    const entries = await redis.xrangeBuffer(deadStream(shard), from, '+', 'COUNT', perRead)
    for (const [id, fields] of entries) yield letterOf(shard, id.toString(), fields)
    const last = entries.at(-1)
    if (last === undefined || entries.length < perRead) return
    from = `(${last[0].toString()}`
  }
}

/** The number of dead letters in all shards. */
export async function countDeadLetters(redis: Redis, shards: number): Promise<number> {
  const lengths = await Promise.all(Array.from({ length: shards }, (_, shard) => redis.xlen(deadStream(shard))))
  return lengths.reduce((sum, length) => sum + length, 0)
}

/** One dead letter; undefined when the ID is unknown. */
export async function findDeadLetter(redis: Redis, shard: number, id: string): Promise<DeadLetter | undefined> {
  const [entry] = await redis.xrangeBuffer(deadStream(shard), id, id)
  return entry === undefined ? undefined : letterOf(shard, entry[0].toString(), entry[1])
}

/** Returns a dead letter to its shard atomically. Workers store the records that are missing. @returns its new ID */
export async function replayDeadLetter(redis: Redis, { shard, id, batch }: DeadLetter): Promise<string | undefined> {
  const results = await redis
    .multi()
    .xadd(shardStream(shard), '*', batchField, batch)
    .xdel(deadStream(shard), id)
    .exec()
  for (const [error] of results ?? []) if (error !== null) throw error
  const [, added] = results?.[0] ?? []
  return typeof added === 'string' ? added : undefined
}

/** The records of a dead letter, or the reason why they cannot be read. */
export function contentOf({ batch }: DeadLetter): { node: string; records: ShownRecord[] } | { unreadable: string } {
  const records: ShownRecord[] = []
  try {
    const node = readBatch(batch, ({ kind, deviceOffset, bootId, sequence, receivedAtMs, offset, end }) => {
      const { name, body } = bodyOf(kind, batch.subarray(offset, end))
      const receivedAt = Number.isFinite(receivedAtMs) ? timeOf(receivedAtMs) : String(receivedAtMs)
      records.push({ kind: name, deviceId: deviceIdFromBytes(batch, deviceOffset), bootId, sequence, receivedAt, body })
    })
    return { node, records }
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}

function timeOf(ms: number): string {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? `${ms} ms` : time.toISOString()
}

function bodyOf(kind: number, payload: Uint8Array): { name: string; body: unknown } {
  const name = kindNames.get(kind)
  try {
    if (name !== undefined) return { name, body: unpack(payload) }
    const message = decodeUp(payload)
    return { name: message.name, body: message.body }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      name: name ?? `type ${kind}`,
      body: `cannot be read (${why}): ${Buffer.from(payload).toString('hex').slice(0, 200)}`,
    }
  }
}

function letterOf(shard: number, id: string, fields: readonly Buffer[]): DeadLetter {
  const text = (name: string) => fieldOf(fields, name)?.toString() ?? ''
  return {
    shard,
    id,
    from: text('from'),
    tries: Number(text('tries')),
    error: text('error'),
    batch: fieldOf(fields, batchField) ?? Buffer.alloc(0),
  }
}
