import { readBatch } from '@muster/backplane/batch.ts'
import { deviceIdFromBytes } from '@muster/backplane/device-id.ts'
import { shardStream } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'

/** A record as a test wants to see it. */
export interface SeenRecord {
  shard: number
  nodeId: string
  kind: number
  deviceId: string
  bootId: number
  sequence: number
  receivedAtMs: number
  payload: Uint8Array
}

/** All records of all shards, in the order of each shard. */
export async function readRecords(redis: Redis, shards: number): Promise<SeenRecord[]> {
  const seen: SeenRecord[] = []
  for (let shard = 0; shard < shards; shard++) {
    const entries = await redis.xrangeBuffer(shardStream(shard), '-', '+')
    for (const [, [, batch]] of entries) {
      if (batch === undefined) continue
      const records: SeenRecord[] = []
      const nodeId = readBatch(batch, ({ kind, deviceOffset, bootId, sequence, receivedAtMs, offset, end }) => {
        const deviceId = deviceIdFromBytes(batch, deviceOffset)
        records.push({
          shard,
          nodeId: '',
          kind,
          deviceId,
          bootId,
          sequence,
          receivedAtMs,
          payload: batch.subarray(offset, end),
        })
      })
      seen.push(...records.map((record) => ({ ...record, nodeId })))
    }
  }
  return seen
}

/** The records of one device once there are at least `least` of them. */
export async function recordsOf(redis: Redis, shards: number, deviceId: string, least: number): Promise<SeenRecord[]> {
  for (;;) {
    const records = (await readRecords(redis, shards)).filter((record) => record.deviceId === deviceId)
    if (records.length >= least) return records
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
