import type { Db } from '@muster/db/database.ts'
import type { AuditNote } from '@muster/kit/audit.ts'
import type { AuditAction } from '@muster/kit/vocabulary.ts'

/** A change that a job or the worker made without a caller. */
interface SystemRecord extends Pick<AuditNote, 'target' | 'name' | 'orgId' | 'partnerId' | 'details'> {
  readonly action: AuditAction
  readonly result?: 'success' | 'failure'
  /** The agent that reported it; the system if absent. */
  readonly actor?: { readonly type: 'agent'; readonly id: string }
}

/** Writes audit records within the transaction of the change. */
export async function recordAsSystem(db: Db, given: SystemRecord | readonly SystemRecord[]): Promise<void> {
  const list: readonly SystemRecord[] = 'action' in given ? [given] : given
  if (list.length === 0) return
  await db.insertInto('auditLogs').values(list.map(rowOf)).execute()
}

const rowOf = ({ action, result = 'success', actor, target, name, orgId, partnerId, details = {} }: SystemRecord) => ({
  actorType: actor?.type ?? ('system' as const),
  actorId: actor?.id ?? null,
  action,
  result,
  orgId: orgId ?? null,
  partnerId: partnerId ?? null,
  resourceType: action.slice(0, action.indexOf('.')),
  resourceId: target,
  resourceName: name ?? null,
  details: JSON.stringify(details),
})
