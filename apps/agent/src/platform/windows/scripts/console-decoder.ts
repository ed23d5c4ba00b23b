import { isUtf8 } from 'node:buffer'
import type { OutputDecoder } from '../../platform.ts'
import { consoleText } from '../calls/console-text.ts'

/** A longer line is decoded in parts. */
const heldBytesMax = 64 * 1024
/** In no code page part of another character. */
const lineEnds: readonly number[] = [0x0a, 0x0d]

/**
 * Decodes the output of a script piece by piece: as UTF-8, and from the first byte that is not UTF-8 to the end of its line in
 * the code page of the console, which programs use that ignore UTF-8 and scripts that run `chcp`.
 */
export class ConsoleDecoder implements OutputDecoder {
  #held = Buffer.alloc(0)

  write(chunk: Buffer): string {
    let left = Buffer.concat([this.#held, chunk])
    let text = ''
    while (left.length > 0) {
      const valid = validLength(left)
      text += left.toString('utf8', 0, valid)
      left = left.subarray(valid)
      const end = left.findIndex((byte) => lineEnds.includes(byte))
      if (end === -1 && left.length < heldBytesMax) break
      const other = left.subarray(0, end === -1 ? left.length : end)
      text += consoleText(other)
      left = left.subarray(other.length)
    }
    this.#held = left
    return text
  }

  end(): string {
    const text = consoleText(this.#held)
    this.#held = Buffer.alloc(0)
    return text
  }
}

/** The number of bytes up to the first character that is not whole or not UTF-8. */
function validLength(bytes: Buffer): number {
  if (isUtf8(bytes)) return bytes.length
  let at = 0
  for (;;) {
    const size = sizeOf(bytes[at] ?? 0)
    const character = bytes.subarray(at, at + size)
    if (character.length < size || !isUtf8(character)) return at
    at += size
  }
}

/** The size of a character of UTF-8 by its first byte. */
function sizeOf(first: number): number {
  if (first < 0xc0) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}
