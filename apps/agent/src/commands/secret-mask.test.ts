import { describe, expect, test } from 'vitest'
import { OutputCapture } from './output-capture.ts'
import { SecretMask } from './secret-mask.ts'

const maskedIn = (values: readonly string[], pieces: readonly string[]) => {
  const mask = new SecretMask(values)
  return pieces.map((piece) => mask.write(piece)).join('') + mask.end()
}

describe('a secret in the output', () => {
  test.each<[string, string[], string, string]>([
    ['is replaced', ['s3cret'], 'token s3cret!', 'token ***!'],
    ['is replaced each time', ['s3cret'], 's3crets3cret s3cret', '****** ***'],
    ['is replaced as a whole when it begins another one', ['abcd', 'abcdefgh'], 'abcdefgh abcd', '*** ***'],
    ['is replaced with one that it overlaps', ['abcd', 'cdef'], '-abcdef-', '-***-'],
    ['is kept when it has three bytes', ['abc'], 'abc', 'abc'],
    ['is replaced when it has four bytes in fewer characters', ['éé'], 'éé', '***'],
    ['is replaced without the line end that it was stored with', ['s3cret\n'], 'a s3cret b', 'a *** b'],
    ['of several lines is replaced with both kinds of line ends', ['line\nnext'], 'line\r\nnext line\nnext', '*** ***'],
    ['with signs of a pattern is taken literally', ['a.c*('], 'a.c*( abc', '*** abc'],
    ['is not found in a part of it', ['s3cret'], 's3cre', 's3cre'],
    ['is empty', ['', '    '], 'a    b', 'a***b'],
  ])('%s', (_rule, values, text, shown) => {
    expect(maskedIn(values, [text])).toBe(shown)
    // In any two pieces, and letter by letter.
    for (let cut = 0; cut <= text.length; cut++)
      expect(maskedIn(values, [text.slice(0, cut), text.slice(cut)])).toBe(shown)
    expect(maskedIn(values, [...text])).toBe(shown)
  })

  test('does not delay output that cannot begin one', () => {
    const mask = new SecretMask(['s3cret'])
    expect(mask.write('progress 10 %\n')).toBe('progress 10 %\n')
    expect(mask.write('is s3')).toBe('is ')
    expect(mask.write('e')).toBe('s3e')
  })

  test('is neither in the text nor in the pieces that are shown, though a character is cut in two', () => {
    const capture = new OutputCapture(1_000, undefined, new SecretMask(['größer']))
    const bytes = Buffer.from('ein größerer Wert')
    const shown: string[] = []
    for (const byte of bytes) {
      capture.write(Buffer.of(byte))
      const piece = capture.take(1_000)
      if (piece !== undefined) shown.push(piece.output)
    }
    capture.end()
    shown.push(capture.take(1_000)?.output ?? '')
    expect(capture.text).toBe('ein ***er Wert')
    expect(shown.join('')).toBe('ein ***er Wert')
  })
})
