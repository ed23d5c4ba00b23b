// The output of scripts in UTF-8 and in code pages, as bytes that Windows programs are documented to print.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { record, recorded } from '../testing/recorded-windows.ts'
import { ConsoleDecoder } from './console-decoder.ts'

vi.mock('../native/koffi.ts', () => import('../testing/recorded-windows.ts'))

/** Parts of code page 850, and of 932 with its characters of two bytes. */
const pages: Readonly<Record<'850' | '932', Readonly<Record<string, string>>>> = {
  850: { '81': 'ü', e1: 'ß', '94': 'ö', c4: '─', b3: '│' },
  // The second byte of the second character is that of a backslash.
  932: { '8ae9': '企', '955c': '表', b1: 'ア' },
}
const usePage = (page: keyof typeof pages) =>
  record({
    MultiByteToWideChar: (code: number, _flags: number, bytes: Buffer, size: number, text: Buffer) => {
      expect([code, bytes.length]).toEqual([1, size])
      const known = pages[page]
      let decoded = ''
      for (let at = 0; at < bytes.length; ) {
        const [one, two] = [bytes.toString('hex', at, at + 1), bytes.toString('hex', at, at + 2)]
        decoded += known[two] ?? known[one] ?? String.fromCharCode(bytes[at] ?? 0)
        at += known[two] === undefined ? 1 : 2
      }
      return text.write(decoded, 'utf16le') / 2
    },
  })
const page = (bytes: string) => Buffer.from(bytes, 'latin1')
const decoded = (pieces: readonly Buffer[]) => {
  const decoder = new ConsoleDecoder()
  return pieces.map((piece) => decoder.write(piece)).join('') + decoder.end()
}
beforeEach(() => recorded.clear())

describe('the output of a script', () => {
  test.each<[string, keyof typeof pages, Buffer[], string]>([
    ['is read as UTF-8', '850', [Buffer.from('Grüße 😀\r\n')], 'Grüße 😀\r\n'],
    ['is read in the code page where it is not UTF-8', '850', [page('Gr\x81\xe1e\r\n')], 'Grüße\r\n'],
    [
      'may change the code page and back',
      '850',
      [Buffer.from('Grüße\r\n'), page('sch\x94n\r\n'), Buffer.from('ö 😀\r\n')],
      'Grüße\r\nschön\r\nö 😀\r\n',
    ],
    ['keeps UTF-8 before the code page in one line', '850', [Buffer.from('ö '), page('\x94\r\nx')], 'ö ö\r\nx'],
    ['may end a line with a carriage return', '850', [page('\x94\r'), Buffer.from('ö\r')], 'ö\rö\r'],
    ['may end without a line end', '850', [page('a\x81')], 'aü'],
    ['may end with the first byte of a character of UTF-8', '850', [page('a\xc4')], 'a─'],
    ['is read in a code page with characters of two bytes', '932', [page('\x8a\xe9 \x95\x5c \xb1\n')], '企 表 ア\n'],
  ])('%s', (_, codePage, pieces, text) => {
    usePage(codePage)
    expect(decoded(pieces)).toBe(text)
    // In any pieces.
    const bytes = Buffer.concat(pieces)
    expect(decoded([...bytes].map((byte) => Buffer.from([byte])))).toBe(text)
    for (let cut = 1; cut < bytes.length; cut++)
      expect(decoded([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(text)
  })

  test('is passed on before its line ends, as long as it is UTF-8', () => {
    const decoder = new ConsoleDecoder()
    expect(decoder.write(Buffer.from('Weiter? ü'))).toBe('Weiter? ü')
    expect(decoder.write(Buffer.from('😀').subarray(0, 3))).toBe('')
    expect(decoder.write(Buffer.from('😀').subarray(3))).toBe('😀')
  })

  test('is passed on in parts when a line in another code page does not end', () => {
    usePage('850')
    const decoder = new ConsoleDecoder()
    expect(decoder.write(page('\x81'.repeat(60_000)))).toBe('')
    expect(decoder.write(page('\x81'.repeat(10_000)))).toBe('ü'.repeat(70_000))
    expect(decoder.end()).toBe('')
  })
})
