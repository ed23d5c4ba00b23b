import type { AuditAction } from './vocabulary.ts'

/** What a handler says about the change it made; `run` adds who, when and from where. */
export interface AuditNote {
  /** Id of the thing changed. */
  readonly target: string
  readonly name?: string | null
  /** The tenant of the thing, where it is not the caller's own. */
  readonly orgId?: string | null
  readonly partnerId?: string | null
  readonly before?: object
  readonly after?: object
  readonly details?: Readonly<Record<string, unknown>>
  /** Needed where the operation declares several actions. */
  readonly action?: AuditAction
  /** Success unless said otherwise. */
  readonly result?: 'success' | 'failure' | 'denied'
  /** For operations without a caller, such as a sign-in: who it turned out to be. */
  readonly actor?: { readonly type: 'user' | 'agent' | 'system'; readonly id: string; readonly email?: string }
}

const uninteresting = new Set(['updatedAt', 'createdAt'])
const secret = /password|secret|token|hash|recovery|private|(^|_)key$|apiKey$/i
const redacted = '[redacted]'

/** The value as a record may show it: secrets are replaced at whatever depth they stand. */
function sayable(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (secret.test(name)) return redacted
  if (Array.isArray(value)) return value.map((item) => sayable('', item))
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sayable(key, inner)]))
}

/** The fields in which two states of a thing differ, with both values; secrets are named but not shown. */
export function changedFields(before: object, after: object): Record<string, { before: unknown; after: unknown }> {
  const was = new Map(Object.entries(before))
  const changes: Record<string, { before: unknown; after: unknown }> = {}
  for (const [name, value] of Object.entries(after)) {
    if (uninteresting.has(name)) continue
    const old = was.get(name)
    if (JSON.stringify(old ?? null) === JSON.stringify(value ?? null)) continue
    changes[name] = { before: sayable(name, old ?? null), after: sayable(name, value ?? null) }
  }
  return changes
}
