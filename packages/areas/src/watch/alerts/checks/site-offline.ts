// Sites of which too many devices are offline.
import { asSystem, type Db, planAnew } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { inTargetsSql } from '../../../fleet/targets/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { lockRules } from '../evaluation/transitions.ts'
import { clearAlerts, raiseAlerts } from '../lifecycle/raise.ts'
import { ofRule } from '../rules/rule-alerts.ts'
import { renderTexts } from '../rules/rule-texts.ts'
import { conditionOfKind, type ScannedRule } from './scan.ts'
import { type Span, wentInSpan, withSilence } from './silence.ts'

interface DarkSite {
  readonly ruleId: string
  readonly id: string
  readonly orgId: string
  readonly orgName: string
  readonly name: string
  readonly total: number
  readonly down: number
}

const conditionOf = ({ rule }: Span) => conditionOfKind(rule, 'siteOffline')

/**
 * The sites of which too many devices were offline at the cutoff and since. Looked at are those with a device that went
 * offline in the span of the rule, and those that the rule has an alert about.
 */
export async function darkSites(db: Db, spans: readonly Span[]): Promise<DarkSite[]> {
  if (spans.length === 0) return []
  const { rows } = await sql<DarkSite>`WITH ${withSilence(spans)},
    asked AS MATERIALIZED (
      SELECT * FROM unnest(${spans.map(({ rule }) => rule.id)}::uuid[], ${spans.map((span) => conditionOf(span)?.percent)}::float8[],
        ${spans.map((span) => conditionOf(span)?.minDevices)}::int[]) AS q(rule_id, percent, min_devices)),
    touched AS MATERIALIZED (
      SELECT r.rule_id, d.site_id FROM ${wentInSpan} WHERE d.site_id IS NOT NULL
      UNION SELECT a.rule_id, a.site_id FROM alerts a WHERE a.rule_id IN (SELECT rule_id FROM spans) AND a.holds AND a.site_id IS NOT NULL),
    counted AS (
      SELECT r.rule_id, d.site_id, count(*)::int AS total,
        (count(*) FILTER (WHERE s.status = 'offline' AND s.status_at <= to_timestamp(r.cutoff_ms / 1000)))::int AS down
      FROM touched JOIN spans r ON r.rule_id = touched.rule_id JOIN devices d ON d.site_id = touched.site_id
        JOIN device_state s ON s.device_id = d.id JOIN target_sets t ON t.id = r.set_id
      WHERE d.lifecycle = 'active' AND s.last_seen_at IS NOT NULL AND ${sql.raw(inTargetsSql('t', 'd'))}
      GROUP BY r.rule_id, d.site_id)
    SELECT c.rule_id, i.id, i.org_id, o.name AS org_name, i.name, c.total, c.down
    FROM counted c JOIN asked q ON q.rule_id = c.rule_id JOIN sites i ON i.id = c.site_id JOIN organizations o ON o.id = i.org_id
    WHERE c.total >= q.min_devices AND 100.0 * c.down / c.total >= q.percent`.execute(db)
  return rows
}

/** Raises and clears the alerts of the rules on sites. @returns live events to publish */
export async function followSites(pool: pg.Pool, all: readonly Span<ScannedRule>[]): Promise<PartnerEvent[]> {
  const spans = all.filter((span) => conditionOf(span) !== null)
  if (spans.length === 0) return []
  return asSystem(pool, async (db) => {
    const ruleIds = spans.map(({ rule }) => rule.id)
    const [, locked] = await Promise.all([planAnew(db), lockRules(db, ruleIds)])
    // What changed meanwhile is looked at the next time.
    const current = spans.filter(({ rule }) => locked.get(rule.id)?.version === rule.version)
    const dark = await darkSites(db, current)
    const { rows: open } = await sql<{ ruleId: string; siteId: string; key: string }>`SELECT rule_id, site_id, key
      FROM alerts WHERE rule_id = ANY (${current.map(({ rule }) => rule.id)}::uuid[]) AND holds`.execute(db)
    const isDark = new Set(dark.map(({ ruleId, id }) => `${ruleId} ${id}`))
    const isOpen = new Set(open.map(({ ruleId, siteId }) => `${ruleId} ${siteId}`))
    const raised = await raiseAlerts(
      db,
      dark.flatMap((site) => {
        const rule = locked.get(site.ruleId)
        if (rule === undefined || isOpen.has(`${site.ruleId} ${site.id}`)) return []
        const summary = `${site.down} of ${site.total} devices of the site are offline`
        const about = { site: { id: site.id, name: site.name }, organization: { id: site.orgId, name: site.orgName } }
        return [
          {
            ...ofRule(rule),
            ...renderTexts(rule, { ...about, summary, value: site.down }),
            key: `${rule.id}:${site.id}`,
            orgId: site.orgId,
            siteId: site.id,
            context: { conditions: rule.conditions, site: site.name, total: site.total, offline: site.down },
          },
        ]
      }),
    )
    const ended = open.filter(({ ruleId, siteId }) => !isDark.has(`${ruleId} ${siteId}`))
    const cleared = await clearAlerts(
      db,
      ended.map(({ key }) => ({ source: 'rule' as const, key })),
    )
    return [...raised.events, ...cleared]
  })
}
