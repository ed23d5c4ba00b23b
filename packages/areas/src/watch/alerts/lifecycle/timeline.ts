import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { TimelineEntry } from '../alerts.contract.ts'
import type { StoredAlert } from './stored-alert.ts'

/** An entry of the timeline of an alert. Without an actor, the system made it. */
export interface NewEntry {
  readonly alert: Pick<StoredAlert, 'id' | 'partnerId' | 'orgId'>
  readonly kind: TimelineEntry['kind']
  readonly actor?: { readonly id: string; readonly name: string } | null
  readonly note?: string | null
  readonly details?: Readonly<Record<string, unknown>>
}

/** Adds entries in one statement. */
export async function addToTimeline(db: Db, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return
  await sql`INSERT INTO alert_timeline (alert_id, partner_id, org_id, kind, actor_id, actor_name, note, details)
    SELECT * FROM unnest(${entries.map(({ alert }) => alert.id)}::uuid[], ${entries.map(({ alert }) => alert.partnerId)}::uuid[],
      ${entries.map(({ alert }) => alert.orgId)}::uuid[], ${entries.map(({ kind }) => kind)}::text[],
      ${entries.map(({ actor }) => actor?.id ?? null)}::uuid[], ${entries.map(({ actor }) => actor?.name ?? null)}::text[],
      ${entries.map(({ note }) => note ?? null)}::text[], ${entries.map(({ details = {} }) => JSON.stringify(details))}::jsonb[])`.execute(
    db,
  )
}
