import { type Db, withCommit } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import type { Caller } from '@muster/kit/access.ts'
import { changedFields, stateBefore } from '@muster/kit/audit.ts'
import type { AuditRecord, Request } from '@muster/kit/call.ts'

function actorOf(record: AuditRecord, caller: Caller | null) {
  if (record.actor !== undefined) {
    return { actorType: record.actor.type, actorId: record.actor.id, actorEmail: record.actor.email ?? null } as const
  }
  if (caller === null) return { actorType: 'anonymous', actorId: null, actorEmail: null } as const
  return { actorType: caller.kind, actorId: caller.apiKeyId ?? caller.userId, actorEmail: caller.email } as const
}

/** Writes an operation's records in the transaction of its change, so that neither is committed without the other. */
export async function writeAuditRecords(
  db: Db,
  records: readonly AuditRecord[],
  caller: Caller | null,
  request: Pick<Request, 'id' | 'ip' | 'userAgent'>,
): Promise<void> {
  const rows = records.map((record) => {
    const changed =
      record.before !== undefined && record.after !== undefined ? changedFields(record.before, record.after) : null
    const details = {
      ...record.details,
      ...(changed === null ? {} : { changedFields: Object.keys(changed), changes: changed }),
      ...(record.before !== undefined && record.after === undefined && { before: stateBefore(record.before) }),
    }
    return {
      ...actorOf(record, caller),
      action: record.action,
      result: record.result ?? 'success',
      resourceType: record.action.slice(0, record.action.indexOf('.')),
      resourceId: record.target,
      resourceName: record.name ?? null,
      partnerId: record.partnerId === undefined ? (caller?.partnerId ?? null) : record.partnerId,
      orgId: record.orgId === undefined ? (caller?.orgId ?? null) : record.orgId,
      details: JSON.stringify(details) satisfies string | JsonObject,
      changedFields: changed === null ? null : Object.keys(changed),
      ipAddress: request.ip,
      userAgent: request.userAgent?.slice(0, 1_000) ?? null,
      requestId: request.id,
    }
  })
  withCommit(db, db.insertInto('auditLogs').values(rows))
}
