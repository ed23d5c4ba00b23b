import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BatchError, type BatchRecord, BatchWriter, readBatch } from './batch.ts'
import { deviceIdFromBytes, deviceIdToBytes, shardOf, shardOfBytes } from './device-id.ts'

interface Given {
  kind: number
  deviceId: string
  bootId: number
  sequence: number
  receivedAtMs: number
  payload: Uint8Array
}

const record: fc.Arbitrary<Given> = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  deviceId: fc.uuid(),
  bootId: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  sequence: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  receivedAtMs: fc.double({ min: 0, max: 1e15, noNaN: true }),
  payload: fc.uint8Array({ maxLength: 200 }),
})

function append(writer: BatchWriter, given: Given): boolean {
  const { kind, deviceId, bootId, sequence, receivedAtMs, payload } = given
  return writer.append(kind, deviceIdToBytes(deviceId), bootId, sequence, receivedAtMs, payload)
}

function recordsIn(batch: Uint8Array): { node: string; records: Given[] } {
  const records: Given[] = []
  const node = readBatch(batch, (seen: BatchRecord) => {
    const { kind, bootId, sequence, receivedAtMs, offset, end, deviceOffset } = seen
    const deviceId = deviceIdFromBytes(batch, deviceOffset)
    records.push({
      kind,
      deviceId,
      bootId,
      sequence,
      receivedAtMs,
      payload: Uint8Array.from(batch.subarray(offset, end)),
    })
  })
  return { node, records }
}

describe('a batch', () => {
  test('reads back every record, over several batches of one writer', () => {
    const batches = fc.array(fc.array(record, { maxLength: 30 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), batches, (node, lists) => {
        const writer = new BatchWriter(node, 1024 * 1024)
        for (const list of lists) {
          for (const given of list) expect(append(writer, given)).toBe(true)
          expect(writer.records).toBe(list.length)
          const batch = writer.flush()
          expect(recordsIn(batch)).toEqual({ node: Buffer.from(node).toString(), records: list })
          expect(writer.records).toBe(0)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('accepts records up to its size limit, but always at least one', () => {
    const device = deviceIdToBytes('00000000-0000-4000-8000-000000000001')
    const writer = new BatchWriter('node', 1_000)
    expect(writer.append(33, device, 1, 1, 1, new Uint8Array(5_000))).toBe(true)
    expect(writer.append(33, device, 1, 2, 1, new Uint8Array(1))).toBe(false)
    expect(recordsIn(writer.flush()).records).toHaveLength(1)
    let taken = 0
    while (writer.append(33, device, 1, taken, 1, new Uint8Array(50))) taken++
    expect(writer.bytes).toBeLessThanOrEqual(1_000)
    expect(recordsIn(writer.flush()).records).toHaveLength(taken)
  })

  test('that is cut or changed is rejected with BatchError or read within its bytes', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), edits, fc.nat(), (list, changes, cut) => {
        const writer = new BatchWriter('node', 1024 * 1024)
        for (const given of list) append(writer, given)
        const batch = writer.flush()
        for (const [at, byte] of changes) batch[at % batch.length] = byte
        for (const bytes of [batch, batch.subarray(0, cut % batch.length)])
          try {
            readBatch(bytes, (seen) => expect(seen.end).toBeLessThanOrEqual(bytes.length))
          } catch (error) {
            expect(error).toBeInstanceOf(BatchError)
          }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a device id', () => {
  test('converts to bytes and back', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(deviceIdFromBytes(deviceIdToBytes(id))).toBe(id)
      }),
    )
  })

  test('is rejected when it is not a UUID', () => {
    expect(() => deviceIdToBytes('device-1')).toThrow(RangeError)
  })

  test('always maps to the same shard, evenly over all shards', () => {
    expect(shardOf('3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f7', 8)).toBe(7)
    const counts = new Array<number>(8).fill(0)
    const bytes = Buffer.alloc(16)
    for (let index = 0; index < 8_000; index++) {
      bytes.writeUInt32BE(index, 12)
      const shard = shardOfBytes(bytes, 8)
      counts[shard] = (counts[shard] ?? 0) + 1
    }
    for (const count of counts) expect(count).toBeGreaterThan(850)
  })
})
