// Rejects input that no schema checks: text that the database cannot store, and shapes that exhaust the code that
// walks them. Runs once, before all other checks of an input.
import { jsonLimits } from './json-limits.ts'

const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const unstorable = 'must not contain NUL or half a surrogate pair'
const at = (path: string, words: string) => (path === '' ? `The input ${words}` : `${path}: ${words}`)

/** What parsers of JSON warn of: written to another object it would change all of them. */
const isConstructor = (key: string, value: unknown): boolean =>
  key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')

interface Waiting {
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

/**
 * @returns the problem of an input that cannot be stored, and its location; null when there is none. Walks without recursion, so
 * that depth costs no stack.
 */
export function unfitInput(input: unknown): string | null {
  const waiting: Waiting[] = [{ value: input, path: '', depth: 0 }]
  let seen = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'string' && !isStorableText(value)) return at(path, unstorable)
    if (typeof value !== 'object' || value === null) continue
    if (depth > jsonLimits.inputDepth) return `The input is nested deeper than ${jsonLimits.inputDepth} levels`
    seen += Array.isArray(value) ? value.length : Object.keys(value).length
    if (seen > jsonLimits.values) return `The input holds more than ${jsonLimits.values} values`
    for (const [key, inner] of Object.entries(value)) {
      if (!isStorableText(key)) return at(path, `has a field whose name ${unstorable}`)
      if (key === '__proto__' || isConstructor(key, inner)) return 'The input holds a field that objects cannot have'
      if (typeof inner !== 'string' && typeof inner !== 'object') continue
      waiting.push({ value: inner, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 })
    }
  }
  return null
}
