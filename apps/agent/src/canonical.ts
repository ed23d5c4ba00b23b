import { createHash } from 'node:crypto'

/** JSON with sorted keys and without undefined, so that equal content gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return entry
    return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
