// What policies note about alerts: their group, and each message about them.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

/** Notes the first group of alerts. */
export const noteGroup = async (db: Db, alertIds: readonly string[], groupId: string): Promise<void> =>
  void (await sql`UPDATE alerts a SET group_id = ${groupId} WHERE a.id = ANY (${[...alertIds]}::uuid[])
    AND (a.group_id IS NULL OR a.group_id IN (SELECT g.id FROM alert_groups g WHERE g.closed_at IS NOT NULL OR g.stopped_at IS NOT NULL))`.execute(
    db,
  ))

interface MessageNote {
  readonly alertIds: readonly string[]
  readonly details: Readonly<Record<string, unknown>>
}

/** Notes messages in the timelines of their alerts. */
export async function noteMessages(db: Db, notes: readonly MessageNote[]): Promise<void> {
  if (notes.length === 0) return
  const about = notes.flatMap(({ alertIds }, note) => alertIds.map((alertId) => ({ alertId, note: note + 1 })))
  await sql`INSERT INTO alert_timeline (alert_id, partner_id, org_id, kind, details)
    SELECT a.id, a.partner_id, a.org_id, 'message', n.details
    FROM unnest(${about.map(({ alertId }) => alertId)}::uuid[], ${about.map(({ note }) => note)}::int[]) AS u(alert_id, n)
    JOIN unnest(${notes.map(({ details }) => JSON.stringify(details))}::jsonb[]) WITH ORDINALITY AS n(details, n) ON n.n = u.n
    JOIN alerts a ON a.id = u.alert_id`.execute(db)
}
