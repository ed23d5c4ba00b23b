// Versions without rules of their own, as programs for Windows and macOS have them: numbers, then text.
import { OrderedBytes } from './ordered-bytes.ts'

const shape = /^v?(\d+(?:\.\d+)*)([^+]*)/i
/** What comes before a release, as "-rc.1" and "beta2". Other text comes after it, as "9.2p1" comes after "9.2". */
const isEarly = /^[-._ ]*(?:alpha|beta|preview|pre|rc|dev|canary|nightly|insider|snapshot|[ab]\d)/i
const [early, release, late, nextNumber] = [1, 2, 3, 4]
const [end, word, number] = [0, 1, 2]

/** Words and numbers in turn: words before numbers, fewer before more. */
function writeText(key: OrderedBytes, text: string): void {
  for (const [token] of text.toLowerCase().matchAll(/\d+|[a-z]+/g)) {
    if (/^\d/.test(token)) {
      key.byte(number)
      key.number(token)
    } else {
      key.byte(word)
      key.text(token)
      key.byte(end)
    }
  }
  key.byte(end)
}

/** Missing numbers count as 0, so that 1.2 is 1.2.0. What follows "+" does not count. @returns null if it does not begin with a number */
export function numberedKey(version: string): Uint8Array | null {
  const [, numbers, rest = ''] = shape.exec(version.trim()) ?? []
  if (numbers === undefined) return null
  const key = new OrderedBytes()
  const parts = numbers.split('.')
  while (parts.length > 0 && /^0*$/.test(parts.at(-1) ?? '')) parts.pop()
  for (const digits of parts) {
    key.byte(nextNumber)
    key.number(digits)
  }
  key.byte(/^[\s._-]*$/.test(rest) ? release : isEarly.test(rest) ? early : late)
  writeText(key, rest)
  return key.end()
}
