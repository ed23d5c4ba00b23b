import type { Db } from '@muster/db/database.ts'
import type { AuditNote } from '@muster/kit/audit.ts'
import type { AuditAction } from '@muster/kit/vocabulary.ts'

/** What a job did without a caller. */
interface SystemRecord extends Pick<AuditNote, 'target' | 'name' | 'orgId' | 'partnerId' | 'details'> {
  readonly action: AuditAction
}

/** Writes the record of a job within the job's transaction. */
export async function recordAsSystem(db: Db, record: SystemRecord): Promise<void> {
  const { action, target, name = null, orgId = null, partnerId = null, details = {} } = record
  await db
    .insertInto('auditLogs')
    .values({
      ...{ actorType: 'system', action, orgId, partnerId },
      ...{ resourceType: action.slice(0, action.indexOf('.')), resourceId: target, resourceName: name },
      details: JSON.stringify(details),
    })
    .execute()
}
