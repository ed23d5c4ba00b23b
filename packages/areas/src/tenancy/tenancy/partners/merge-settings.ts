import type { JsonObject, JsonValue } from '@muster/db/json.ts'

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Merges changes into settings: only the sent keys are overwritten, at each depth. Null removes a key. */
export function mergeSettings(current: JsonObject, changes: JsonObject): JsonObject {
  const merged = new Map(Object.entries(current))
  for (const [key, value] of Object.entries(changes)) {
    const known = merged.get(key)
    if (value === null) merged.delete(key)
    else if (isObject(value)) merged.set(key, mergeSettings(isObject(known) ? known : {}, value))
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}
