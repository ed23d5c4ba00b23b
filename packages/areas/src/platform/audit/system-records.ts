import type { Db } from '@muster/db/database.ts'
import type { AuditNote } from '@muster/kit/audit.ts'
import type { AuditAction } from '@muster/kit/vocabulary.ts'
import { sql } from 'kysely'

/** A change that a job or the worker made without a caller. */
export interface SystemRecord extends Pick<AuditNote, 'target' | 'name' | 'orgId' | 'partnerId' | 'details'> {
  readonly action: AuditAction
  readonly result?: 'success' | 'failure'
  /** The agent that reported it; the system if absent. */
  readonly actor?: { readonly type: 'agent'; readonly id: string }
}

/** Writes audit records within the transaction of the change, however many, with one statement. */
export async function recordAsSystem(db: Db, given: SystemRecord | readonly SystemRecord[]): Promise<void> {
  const list: readonly SystemRecord[] = 'action' in given ? [given] : given
  if (list.length === 0) return
  await sql`INSERT INTO audit_logs (actor_type, actor_id, action, result, org_id, partner_id, resource_type, resource_id,
      resource_name, details)
    SELECT * FROM unnest(${list.map(({ actor }) => actor?.type ?? 'system')}::text[],
      ${list.map(({ actor }) => actor?.id ?? null)}::uuid[], ${list.map(({ action }) => action)}::text[],
      ${list.map(({ result = 'success' }) => result)}::text[], ${list.map(({ orgId }) => orgId ?? null)}::uuid[],
      ${list.map(({ partnerId }) => partnerId ?? null)}::uuid[],
      ${list.map(({ action }) => action.slice(0, action.indexOf('.')))}::text[], ${list.map(({ target }) => target)}::text[],
      ${list.map(({ name }) => name ?? null)}::text[], ${list.map(({ details = {} }) => JSON.stringify(details))}::jsonb[])`.execute(
    db,
  )
}
