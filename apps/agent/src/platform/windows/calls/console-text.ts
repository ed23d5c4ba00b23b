import { isUtf8 } from 'node:buffer'
import { multiByteToWide } from '../native/kernel32.ts'

/** The code page that programs write in without a console, such as 850 in Western Europe. */
const consolePage = 1

/** The text that a program of Windows printed: UTF-8, or else in the code page of its console. */
export function consoleText(output: Buffer): string {
  if (isUtf8(output)) return output.toString('utf8')
  const text = Buffer.alloc(output.length * 2)
  const chars = multiByteToWide(consolePage, 0, output, output.length, text, output.length)
  return chars === 0 ? output.toString('utf8') : text.toString('utf16le', 0, chars * 2)
}
