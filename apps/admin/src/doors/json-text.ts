// Checks JSON text before it is parsed, because a parser hides duplicate fields and has no limits of size.
import { jsonLimits } from '@muster/kit/body/json-limits.ts'

/** JSON media types, in UTF-8 only. */
export const jsonType = /^application\/([\w.-]+\+)?json\s*(;\s*charset="?utf-8"?\s*)?$/i

const utf8 = new TextDecoder('utf-8', { fatal: true })

export const asBytes = (body: string | Uint8Array): Uint8Array => (typeof body === 'string' ? Buffer.from(body) : body)

/** @returns null when the bytes are not UTF-8 */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** The index of the closing quote of the string that begins at `start`, or -1. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text[before] === '\\') before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return -1
}

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

function isName(text: string, end: number): boolean {
  let next = end + 1
  while (isSpace(text.charCodeAt(next))) next += 1
  return text[next] === ':'
}

function nameIn(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}

/** The problem of valid JSON that is too deep, has too many fields, or a field twice. Null when there is none. */
export function problemOfJson(text: string): string | null {
  /** The field names of the enclosing objects; null for an array. */
  const enclosing: (Set<string> | null)[] = []
  let members = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '{' || char === '[') {
      if (enclosing.length >= jsonLimits.textDepth)
        return `The input is nested deeper than ${jsonLimits.textDepth} levels`
      enclosing.push(char === '{' ? new Set() : null)
    } else if (char === '}' || char === ']') {
      enclosing.pop()
    } else if (char === '"') {
      const end = endOfString(text, at)
      if (end === -1) return null
      const names = enclosing.at(-1)
      if (names && isName(text, end)) {
        const name = nameIn(text.slice(at, end + 1))
        if (names.has(name)) return 'The input contains a field twice'
        names.add(name)
        members += 1
        if (members > jsonLimits.fields) return `The input contains more than ${jsonLimits.fields} fields`
      }
      at = end
    }
  }
  return null
}
