import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, readHeader } from './frame.ts'
import { sequenceMax } from './limits.ts'

describe('header', () => {
  test('reads back type and sequence for every size of sequence', () => {
    const sequence = fc.oneof(
      fc.integer({ min: 0, max: sequenceMax }),
      fc.constantFrom(0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, sequenceMax),
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 127 }), sequence, fc.boolean(), (type, number, withBody) => {
        const frame = encodeFrame(type, number, withBody ? { a: 1 } : undefined)
        const header = readHeader(frame)
        expect(header).toMatchObject({ type, sequence: number, fault: null })
        expect(header.bodyOffset === frame.length).toBe(!withBody)
      }),
    )
  })

  test.each([
    ['nothing', []],
    ['a map', [0x82, 1, 1, 1, 1]],
    ['an array of one', [0x91, 1]],
    ['an array of four', [0x94, 1, 1, 1, 1]],
    ['a type that is no small integer', [0x92, 0xcc, 0x81, 0]],
    ['a negative sequence', [0x92, 1, 0xff]],
    ['a sequence cut off', [0x92, 1, 0xcf, 0, 0]],
    ['a sequence beyond 48 bits', [0x92, 1, 0xcf, 0, 1, 0, 0, 0, 0, 0, 0]],
    ['a body announced and missing', [0x93, 1, 1]],
    ['a body not announced', [0x92, 1, 1, 0xc0]],
  ])('rejects %s as a header', (_, bytes) => {
    expect(readHeader(Uint8Array.from(bytes)).fault).toBe('malformed')
  })
})
