import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, WireError } from './frame.ts'
import { createHeartbeatColumns, decodeHeartbeatInto } from './heartbeat-columns.ts'
import { encodeHeartbeat, heartbeatOf } from './heartbeat-frame.ts'
import { heartbeat, heartbeatFields } from './messages/heartbeat.ts'
import { decodeUp } from './up.ts'

function throughSchema(frame: Uint8Array): (number | null)[] | string {
  try {
    const message = decodeUp(frame)
    return message.name === 'heartbeat' ? message.body.slice(0, heartbeatFields.length) : 'unknownType'
  } catch (error) {
    if (error instanceof WireError) return error.fault
    throw error
  }
}

function throughColumns(frame: Uint8Array): (number | null)[] | string {
  const columns = createHeartbeatColumns(3)
  const padded = new Uint8Array(frame.length + 10).fill(0xc0)
  padded.set(frame, 5)
  const fault = decodeHeartbeatInto(columns, 1, padded, 5, 5 + frame.length)
  return fault ?? columns.map((column) => (Number.isNaN(column[1]) ? null : (column[1] ?? null)))
}

const figure = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: -5, max: Number.MAX_SAFE_INTEGER }),
  fc.double(),
  fc.float(),
  fc.constantFrom(100, 100.5, 2 ** 31, 2 ** 32, 2 ** 53, -0, Number.MAX_VALUE),
)

describe('heartbeats', () => {
  test('column decoder and schema agree on every heartbeat, valid or invalid', () => {
    fc.assert(
      fc.property(
        fc.array(figure, { minLength: 8, maxLength: 17 }),
        fc.integer({ min: 0, max: 2 ** 48 }),
        (body, sequence) => {
          const frame = encodeFrame(heartbeat.type, sequence, body)
          expect(throughColumns(frame)).toEqual(throughSchema(frame))
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('column decoder and schema agree on changed bytes', () => {
    const edit = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(), (edits, cut) => {
        const frame = encodeHeartbeat(70_000, [1.5, 2 ** 40, 200, 70_000, 5, 0.25, null, 7, 8, 90])
        // The type stays: a frame of another type is checked by that message's rules.
        for (const [at, byte] of edits) if (at % frame.length !== 1) frame[at % frame.length] = byte
        expect(throughColumns(frame)).toEqual(throughSchema(frame))
        const short = frame.subarray(0, cut % (frame.length + 1))
        expect(throughColumns(short)).toEqual(throughSchema(short))
      }),
      { numRuns: 5000 },
    )
  })

  test('the heartbeat encoder writes a frame equivalent to that of the general encoder', () => {
    const good = fc.option(fc.integer({ min: 0, max: 2 ** 45 }), { nil: null })
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), good, good, fc.nat(), (cpu, used, total, count) => {
        const frame = encodeHeartbeat(12, [cpu, used, total, used, total, 1.25, 1000, used, total, count])
        expect(throughSchema(frame)).toEqual([cpu, used, total, used, total, 1.25, 1000, used, total, count])
      }),
    )
  })

  test('clamps a sample to its limits and encodes NaN as nil', () => {
    const sample = {
      cpuPercent: 100.4,
      memoryUsed: 12.6,
      memoryTotal: -3,
      diskUsed: Number.NaN,
      diskTotal: Number.POSITIVE_INFINITY,
      load1m: 0.5,
      uptimeSeconds: null,
      networkRxBytes: 1,
      networkTxBytes: 2,
      processCount: 3,
    }
    expect(heartbeatOf(sample)).toEqual([100, 13, 0, null, null, 0.5, null, 1, 2, 3])
  })
})
