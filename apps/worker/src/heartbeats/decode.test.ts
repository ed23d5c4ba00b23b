import { encodeHeartbeat } from '@muster/wire/heartbeat-frame.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TestDevice, TestNode } from '../testing/bed.ts'
import { decodeEntries } from './decode.ts'

const device: TestDevice = { id: '', bytes: new Uint8Array(16).fill(3), orgId: '', partnerId: '', siteId: '' }
const now = Date.now()

describe('decodeEntries', () => {
  it('returns heartbeats as columns and other records as objects, in the order of the stream', () => {
    const node = new TestNode('node-a')
      .connected(device, 7, now)
      .heartbeat(device, 7, 1, now + 1, 33)
      .message(device, 7, {
        name: 'result',
        sequence: 2,
        body: { commandId: '0b0c6f0e-8d3c-4f5c-9a8a-0d9f8f0e1a2b', status: 'completed', exitCode: 0, durationMs: 5 },
      })
    const { heartbeats, others, records, deviceCount, invalid } = decodeEntries([node.flush()])
    expect({ records, deviceCount, invalid }).toEqual({ records: 3, deviceCount: 1, invalid: [] })
    expect(heartbeats.count).toBe(1)
    expect([heartbeats.order[0], heartbeats.sequence[0], heartbeats.atMs[0]]).toEqual([1, 1, now + 1])
    expect(heartbeats.figures[0]?.[0]).toBe(33)
    expect(others).toMatchObject([
      { name: 'connected', order: 0, bootId: 7, node: 'node-a', body: { agentVersion: '1.0.0' } },
      { name: 'result', order: 2, sequence: 2, body: { status: 'completed' } },
    ])
  })

  it('returns an invalid record as its own batch and keeps its neighbors', () => {
    const node = new TestNode('node-b')
      .heartbeat(device, 7, 1, now)
      .record(33, device, 7, 2, now, Buffer.from([0x93, 33, 2, 0xc1]))
      .record(99, device, 7, 0, now, Buffer.from([1]))
      .record(36, device, 7, 3, now, encodeHeartbeat(3, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]).subarray(0, 5))
      .record(33, device, 7, 4, Number.NaN, encodeHeartbeat(4, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))
      .heartbeat(device, 7, 5, now)
    const decoded = decodeEntries([node.flush()])
    expect([...decoded.heartbeats.sequence.subarray(0, decoded.heartbeats.count)]).toEqual([1, 5])
    expect(decoded.invalid).toHaveLength(4)
    for (const { batch } of decoded.invalid) {
      const again = decodeEntries([batch])
      expect({ broken: again.broken, records: again.records, invalid: again.invalid.length }).toEqual({
        broken: [],
        records: 1,
        invalid: 1,
      })
    }
  })

  it('does not throw for any bytes', () => {
    const batch = new TestNode()
      .heartbeat(device, 7, 1, now)
      .connected(device, 7, now)
      .heartbeat(device, 7, 2, now)
      .flush()
    const mutated = fc
      .tuple(fc.array(fc.tuple(fc.nat(batch.length - 1), fc.nat(255)), { maxLength: 8 }), fc.nat(batch.length))
      .map(([changes, length]) => {
        const bytes = Uint8Array.from(batch)
        for (const [at, value] of changes) bytes[at] = value
        return bytes.subarray(0, length)
      })
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 200 })), (bytes) => {
        const decoded = decodeEntries([bytes, batch])
        expect(decoded.heartbeats.count).toBeGreaterThanOrEqual(2)
      }),
      { numRuns: 500 },
    )
  })
})
