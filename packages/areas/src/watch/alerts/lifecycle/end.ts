import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'
import { inTargets } from '../../../fleet/targets/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import type { Alert } from '../alerts.contract.ts'
import type { Actor } from './actions.ts'
import type { StoredAlert } from './stored-alert.ts'
import { emitSystemChanges } from './system-changes.ts'
import { addToTimeline } from './timeline.ts'

/** Devices that a rule no longer targets, among those of its partner. */
const leftTargets = (ruleId: string) => sql`device_id IN (SELECT d.id FROM alert_rules r
  JOIN target_sets t ON t.id = r.target_set_id JOIN devices d ON d.partner_id = r.partner_id
  WHERE r.id = ${ruleId} AND NOT coalesce(${inTargets('t', 'd')}, false))`

/** Resolves the open alerts of a rule, because the rule no longer asks what they answer. What people silenced may be told again. */
export async function endAlertsOf(
  db: Db,
  ruleId: string,
  resolution: NonNullable<Alert['resolution']>,
  actor: Actor | null,
  whose: 'all' | 'devices that left the targets' = 'all',
): Promise<PartnerEvent[]> {
  const ended = whose === 'all' ? sql`true` : leftTargets(ruleId)
  await sql`DELETE FROM alert_states WHERE rule_id = ${ruleId} AND ${ended}`.execute(db)
  return end(db, sql`rule_id = ${ruleId} AND ${ended}`, resolution, actor)
}

/** Resolves the open alerts that a monitor raised by these keys, because it no longer asks what they answer. */
export const endAlertsByKey = (
  db: Db,
  keys: readonly string[],
  resolution: NonNullable<Alert['resolution']>,
  actor: Actor,
): Promise<PartnerEvent[]> => end(db, sql`source = 'monitor' AND key = ANY (${[...keys]}::text[])`, resolution, actor)

/** @param which a condition on `alerts` */
async function end(
  db: Db,
  which: RawBuilder<unknown>,
  resolution: NonNullable<Alert['resolution']>,
  actor: Actor | null,
): Promise<PartnerEvent[]> {
  const { rows } =
    await sql<StoredAlert>`UPDATE alerts SET status = 'resolved', resolution = ${resolution}, resolved_at = now(),
      resolved_by = ${actor?.id ?? null}::uuid, suppression_kind = NULL, suppression_id = NULL, suppression_reason = NULL,
      suppressed_until = NULL, last_changed_at = now()
    WHERE ${which} AND status <> 'resolved' RETURNING *`.execute(db)
  await sql`UPDATE alerts SET holds = false WHERE ${which} AND holds`.execute(db)
  await addToTimeline(
    db,
    rows.map((alert) => ({ alert, kind: 'resolved' as const, actor, details: { resolution } })),
  )
  return emitSystemChanges(
    db,
    rows.map((alert) => ({ change: 'resolved' as const, alert })),
  )
}

/** Suppresses the active alerts of a rule until a time, or ends such suppressions. */
export async function snoozeAlertsOf(
  db: Db,
  ruleId: string,
  until: string | null,
  actor: Actor,
): Promise<PartnerEvent[]> {
  const { rows } =
    until === null
      ? await sql<StoredAlert>`UPDATE alerts SET status = 'active', suppression_kind = NULL, suppression_id = NULL,
          suppression_reason = NULL, suppressed_until = NULL, last_changed_at = now()
        WHERE rule_id = ${ruleId} AND status = 'suppressed' AND suppression_kind = 'rule' RETURNING *`.execute(db)
      : await sql<StoredAlert>`UPDATE alerts SET status = 'suppressed', suppression_kind = 'rule', suppression_id = ${ruleId},
          suppression_reason = 'The rule is snoozed', suppressed_until = ${until}::timestamptz, last_changed_at = now()
        WHERE rule_id = ${ruleId} AND (status = 'active' OR suppression_kind = 'rule') RETURNING *`.execute(db)
  const isEnd = until === null
  await addToTimeline(
    db,
    rows.map((alert) => ({ alert, kind: isEnd ? ('activated' as const) : ('suppressed' as const), actor })),
  )
  return emitSystemChanges(
    db,
    rows.map((alert) => ({ change: isEnd ? ('reopened' as const) : ('suppressed' as const), alert })),
  )
}
