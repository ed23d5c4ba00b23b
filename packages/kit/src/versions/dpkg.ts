// Versions of Debian packages: [epoch:]upstream[-revision]. Source: Debian Policy 5.6.12, deb-version(7).
import { OrderedBytes } from './ordered-bytes.ts'

const shape = /^(?:(\d+):)?([A-Za-z0-9.+~:-]+)$/
/** "~" sorts before the end, letters after it, and other characters after letters. */
const tilde = 1
const end = 2
const other = 0x80

/** One part: text and numbers in turn, beginning with text. Missing text is nothing, a missing number is zero. */
function writePart(key: OrderedBytes, part: string): void {
  let rest = part
  do {
    const [, text = '', digits = ''] = /^(\D*)(\d*)/.exec(rest) ?? []
    for (const character of text) {
      if (character === '~') key.byte(tilde)
      else key.byte(/[A-Za-z]/.test(character) ? character.charCodeAt(0) : other | character.charCodeAt(0))
    }
    key.byte(end)
    key.number(digits)
    rest = rest.slice(text.length + digits.length)
  } while (rest !== '')
  key.byte(end)
}

/** @returns null for what is no version of a Debian package */
export function dpkgKey(version: string): Uint8Array | null {
  const [, epoch = '', body] = shape.exec(version) ?? []
  if (body === undefined) return null
  const dash = body.lastIndexOf('-')
  const key = new OrderedBytes()
  key.number(epoch)
  writePart(key, dash === -1 ? body : body.slice(0, dash))
  writePart(key, dash === -1 ? '' : body.slice(dash + 1))
  return key.end()
}
