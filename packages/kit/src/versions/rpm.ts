// Versions of RPM packages: [epoch:]version[-release]. Source: rpm-version(7) and the documentation of rpmvercmp.
import { OrderedBytes } from './ordered-bytes.ts'

const shape = /^(?:(\d+):)?([^\s:-]+)(?:-([^\s:-]+))?$/
/** "~" sorts before the end, "^" after it; words sort before numbers. Other characters only separate. */
const tilde = 1
const end = 2
const caret = 3
const word = 4
const number = 5
const endOfWord = 0

function writePart(key: OrderedBytes, part: string): void {
  for (const [token] of part.matchAll(/~|\^|\d+|[A-Za-z]+/g)) {
    if (token === '~') key.byte(tilde)
    else if (token === '^') key.byte(caret)
    else if (/^\d/.test(token)) {
      key.byte(number)
      key.number(token)
    } else {
      key.byte(word)
      key.text(token)
      key.byte(endOfWord)
    }
  }
  key.byte(end)
}

/** @returns null for what is no version of an RPM package */
export function rpmKey(version: string): Uint8Array | null {
  const [, epoch = '', upstream, release = ''] = shape.exec(version) ?? []
  if (upstream === undefined) return null
  const key = new OrderedBytes()
  key.number(epoch)
  writePart(key, upstream)
  writePart(key, release)
  return key.end()
}
