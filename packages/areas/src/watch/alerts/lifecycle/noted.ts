// Changes of alerts that the service makes without a request.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import type { AlertChange, StoredAlert } from './stored-alert.ts'
import { emitSystemChanges } from './system-changes.ts'
import { addToTimeline, type NewEntry } from './timeline.ts'

/** Notes changes that one statement made: timeline, stored events, live events. */
export async function noted(
  db: Db,
  rows: readonly StoredAlert[],
  kind: NewEntry['kind'],
  change: AlertChange,
  note: string,
): Promise<PartnerEvent[]> {
  await addToTimeline(
    db,
    rows.map((alert) => ({ alert, kind, note })),
  )
  return emitSystemChanges(
    db,
    rows.map((alert) => ({ change, alert })),
    { reason: note },
  )
}

/** What an alert is whose suppression or acknowledgment has ended. */
export const activate = sql`status = 'active', suppression_kind = NULL, suppression_id = NULL, suppression_reason = NULL,
  suppressed_until = NULL, released_at = NULL, acknowledged_at = NULL, acknowledged_by = NULL, acknowledged_until = NULL,
  last_changed_at = now()`
