// Stores a new status of monitors, in the open transaction: the row, the span and the event.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { emitAll, eventOf } from '../../../platform/events/index.ts'
import type { StoredMonitor } from '../monitor.queries.ts'
import { monitorChangedEvent } from '../monitors-events.contract.ts'
import type { MonitorStatus } from '../words.contract.ts'

export interface StatusChange {
  readonly monitor: Pick<StoredMonitor, 'id' | 'partnerId' | 'orgId' | 'siteId' | 'name' | 'type' | 'target' | 'status'>
  readonly status: MonitorStatus
  readonly reason: string | null
}

/** Another reason of the same status is stored without an event. The monitors must be locked. */
export async function changeStatuses(db: Db, changes: readonly StatusChange[]): Promise<void> {
  if (changes.length === 0) return
  await sql`UPDATE monitors m SET status_reason = u.reason, status = u.status,
      status_since = CASE WHEN m.status = u.status THEN m.status_since ELSE now() END
    FROM unnest(${changes.map(({ monitor }) => monitor.id)}::uuid[], ${changes.map(({ status }) => status)}::text[],
      ${changes.map(({ reason }) => reason?.slice(0, 500) ?? null)}::text[]) AS u(id, status, reason)
    WHERE m.id = u.id`.execute(db)
  const changed = changes.filter(({ monitor, status }) => monitor.status !== status)
  await beginSpans(db, changed)
  await emitAll(
    db,
    changed.map(({ monitor, status, reason }) =>
      eventOf(monitorChangedEvent, {
        partnerId: monitor.partnerId,
        orgId: monitor.orgId,
        siteId: monitor.siteId,
        data: {
          monitorId: monitor.id,
          name: monitor.name,
          type: monitor.type,
          target: monitor.target,
          status,
          before: monitor.status,
          reason,
        },
      }),
    ),
  )
}

export async function beginSpans(db: Db, changes: readonly StatusChange[]): Promise<void> {
  if (changes.length === 0) return
  const ids = changes.map(({ monitor }) => monitor.id)
  await sql`UPDATE monitor_spans SET ended_at = now() WHERE monitor_id = ANY (${ids}::uuid[]) AND ended_at IS NULL`.execute(
    db,
  )
  await sql`INSERT INTO monitor_spans (monitor_id, partner_id, org_id, status, reason, began_at)
    SELECT u.*, now() FROM unnest(${ids}::uuid[], ${changes.map(({ monitor }) => monitor.partnerId)}::uuid[],
      ${changes.map(({ monitor }) => monitor.orgId)}::uuid[], ${changes.map(({ status }) => status)}::text[],
      ${changes.map(({ reason }) => reason?.slice(0, 500) ?? null)}::text[]) AS u`.execute(db)
}
