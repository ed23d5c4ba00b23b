import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutToBytes, OutputCapture } from './output-capture.ts'

test('joins chunks of any size to the original text, cut at a whole character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.array(fc.integer({ min: 1, max: 7 })),
      fc.nat(60),
      (text, sizes, max) => {
        const clean = text.replaceAll('\0', '?')
        const bytes = Buffer.from(clean)
        const capture = new OutputCapture(max)
        let at = 0
        for (const size of [...sizes, bytes.length]) {
          capture.write(bytes.subarray(at, at + size))
          at += size
        }
        capture.end()
        expect(capture.totalBytes).toBe(bytes.length)
        expect(clean.startsWith(capture.text)).toBe(true)
        expect(Buffer.byteLength(capture.text)).toBeLessThanOrEqual(max)
        expect(capture.truncated).toBe(capture.text !== clean)
      },
    ),
  )
})

test('returns chunks that make up the text, each with its offset', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 4, max: 20 }), (text, size) => {
      const capture = new OutputCapture(10_000)
      capture.write(Buffer.from(text))
      capture.end()
      let together = ''
      for (let piece = capture.take(size); piece !== undefined; piece = capture.take(size)) {
        expect(piece.offset).toBe(Buffer.byteLength(together))
        expect(Buffer.byteLength(piece.output)).toBeLessThanOrEqual(size)
        together += piece.output
      }
      expect(together).toBe(capture.text)
    }),
  )
})

test('never cuts within a character', () => {
  expect(cutToBytes('aä€', 2)).toBe('a')
  expect(cutToBytes('aä€', 5)).toBe('aä')
  expect(cutToBytes('aä€', 6)).toBe('aä€')
})
