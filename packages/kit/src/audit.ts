import type { AuditAction } from './vocabulary.ts'

/** What a handler notes about its change. `run` adds actor, time and origin. */
export interface AuditNote {
  /** ID of the changed object. */
  readonly target: string
  readonly name?: string | null
  /** The tenant of the object, when it is not the caller's own. */
  readonly orgId?: string | null
  readonly partnerId?: string | null
  readonly before?: object
  readonly after?: object
  readonly details?: Readonly<Record<string, unknown>>
  /** Required when the operation declares several actions. */
  readonly action?: AuditAction
  /** Success by default. */
  readonly result?: 'success' | 'failure' | 'denied'
  /** The actor of operations without a caller, such as a sign-in. */
  readonly actor?: { readonly type: 'user' | 'agent' | 'system'; readonly id: string; readonly email?: string }
}

const uninteresting = new Set(['updatedAt', 'createdAt'])
const secret = /password|secret|token|hash|recovery|private|(^|_)key$|apiKey$/i
const redacted = '[redacted]'

/** The value for an audit record, with secrets replaced at any depth. */
function sayable(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (secret.test(name)) return redacted
  if (Array.isArray(value)) return value.map((item) => sayable('', item))
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sayable(key, inner)]))
}

/** The last state of a deleted object for an audit record. Secrets are named but not shown. */
export const stateBefore = (before: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(before).map(([name, value]) => [name, sayable(name, value)]))

/** The fields that differ between two states, with both values. Secrets are named but not shown. */
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
