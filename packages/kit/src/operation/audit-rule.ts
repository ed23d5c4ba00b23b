// Checks that an operation keeps its declared audit rule.
import { type AuditNote, changedFields } from '../audit.ts'
import type { AuditRecord, Operation } from '../call.ts'
import { invariant } from '../errors.ts'
import type { AuditAction } from '../vocabulary.ts'

type AnyOperation = Pick<Operation<unknown, unknown>, 'id' | 'endpoint'>

/** A PATCH without a change writes no record. */
const changesNothing = ({ endpoint }: AnyOperation, { before, after }: AuditNote): boolean =>
  endpoint.method === 'PATCH' &&
  before !== undefined &&
  after !== undefined &&
  Object.keys(changedFields(before, after)).length === 0

/** The records of an operation's notes. Fails when they do not match the declaration. */
export function recordsOf(operation: AnyOperation, notes: readonly AuditNote[]): AuditRecord[] {
  const rule = operation.endpoint.audit
  if (rule === null || (typeof rule === 'object' && 'unaudited' in rule)) {
    invariant(notes.length === 0, `${operation.id} declares no audit action but wrote one`)
    return []
  }
  const occasional = typeof rule === 'object' && 'when' in rule
  if (occasional && notes.length === 0) return []
  const allowed: readonly AuditAction[] = occasional ? rule.actions : typeof rule === 'string' ? [rule] : rule
  invariant(notes.length > 0, `${operation.id} declares ${allowed.join(', ')} but wrote no audit record`)
  return notes.flatMap((note) => {
    const action = note.action ?? allowed[0]
    invariant(
      action !== undefined && allowed.includes(action),
      `${operation.id} wrote ${action}, which it does not declare`,
    )
    return changesNothing(operation, note) ? [] : [{ ...note, action }]
  })
}
