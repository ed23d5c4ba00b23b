// Alerts that others explain: those of rules that a rule depends on, and of sites that are offline. `suppressionsOf` looks when
// an alert opens; this follows causes that open later, and ends suppressions whose cause has ended.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { activate, noted } from './noted.ts'
import type { StoredAlert } from './stored-alert.ts'

/** Alerts per transaction. */
const alertsAtOnce = 5_000
/** What still holds so long after its cause has ended becomes active. */
const releaseSeconds = 60

/** The rules whose alerts explain others, as SQL. */
export const explainingRules = `SELECT unnest(depends_on_rule_ids) FROM alert_rules WHERE enabled
  UNION SELECT id FROM alert_rules WHERE kind = 'siteOffline' AND enabled`

/** All but resolved, each named: the index on rule and status takes no other form. */
export const openStatuses = `'active', 'acknowledged', 'suppressed'`

/** Suppresses active alerts whose cause opened after them. Those that a person works on stay as they are. */
export async function followDependencies(db: Db): Promise<PartnerEvent[]> {
  const { rows } = await sql<StoredAlert>`WITH causes AS MATERIALIZED (
      SELECT p.* FROM (${sql.raw(explainingRules)}) r(id) CROSS JOIN LATERAL (
        SELECT p.id, p.title, p.rule_id, p.partner_id, p.device_id, p.site_id FROM alerts p
        WHERE p.rule_id = r.id AND p.status IN (${sql.raw(openStatuses)}) AND p.holds OFFSET 0) p),
    pairs AS MATERIALIZED (
      SELECT c.id, c.title, c.device_id, c.site_id, r.id AS rule_id FROM causes c JOIN alert_rules r ON r.depends_on_rule_ids @> ARRAY[c.rule_id]
      UNION SELECT c.id, c.title, c.device_id, c.site_id, r.id FROM causes c
        JOIN alert_rules s ON s.id = c.rule_id AND s.kind = 'siteOffline' JOIN alert_rules r ON r.partner_id = c.partner_id AND r.kind = 'offline'),
    found AS (
      SELECT a.id, p.id AS cause_id, p.title FROM pairs p
        JOIN alerts a ON a.rule_id = p.rule_id AND a.status = 'active' AND a.device_id = p.device_id
      UNION ALL SELECT a.id, p.id, p.title FROM pairs p
        JOIN alerts a ON a.rule_id = p.rule_id AND a.status = 'active' AND a.site_id = p.site_id WHERE p.device_id IS NULL),
    held AS (
      SELECT id FROM alerts WHERE id IN (SELECT id FROM found) AND status = 'active' ORDER BY id LIMIT ${alertsAtOnce} FOR UPDATE SKIP LOCKED)
    UPDATE alerts a SET status = 'suppressed', suppression_kind = 'dependency', suppression_id = f.cause_id,
      suppression_reason = left('Depends on: ' || f.title, 500), released_at = NULL, last_changed_at = now()
    FROM held, (SELECT DISTINCT ON (id) id, cause_id, title FROM found ORDER BY id, cause_id) f
    WHERE a.id = held.id AND f.id = held.id RETURNING a.*`.execute(db)
  return noted(db, rows, 'suppressed', 'suppressed', 'The alert that it depends on has opened')
}

/** Dependencies whose alert has ended. */
export async function releaseDependencies(db: Db): Promise<PartnerEvent[]> {
  await sql`UPDATE alerts a SET released_at = CASE WHEN p.holds THEN NULL ELSE now() END
    FROM alerts c LEFT JOIN LATERAL (
      SELECT true AS holds FROM alerts p WHERE p.id = c.suppression_id AND p.status <> 'resolved' AND p.holds) p ON true
    WHERE c.id = a.id AND a.status = 'suppressed' AND a.suppression_kind = 'dependency'
      AND (a.released_at IS NULL) = (p.holds IS NULL)`.execute(db)
  const { rows } = await sql<StoredAlert>`UPDATE alerts SET ${activate} WHERE id IN (
      SELECT id FROM alerts WHERE status = 'suppressed' AND suppression_kind = 'dependency'
        AND released_at < now() - make_interval(secs => ${releaseSeconds})
      ORDER BY id LIMIT ${alertsAtOnce} FOR UPDATE SKIP LOCKED)
    RETURNING *`.execute(db)
  return noted(db, rows, 'activated', 'reopened', 'The alert that it depends on has ended')
}
