// The devices that went offline in a span of time, for all rules at once.
import { type RawBuilder, sql } from 'kysely'
import { cutoffOf, type Outage } from './listening.ts'
import { conditionOfKind, type ScannedRule } from './scan.ts'

interface SilentRule {
  readonly id: string
  readonly partnerId: string
  readonly targetSetId: string
  readonly conditions: unknown
}

/** Devices that went offline after `fromMs` have been offline for as long as the rule asks if that was up to `cutoffMs`. */
export interface Span<Rule extends SilentRule = SilentRule> {
  readonly rule: Rule
  readonly fromMs: number
  readonly cutoffMs: number
}

/** The spans of the rules on silence. @param fromOf up to when the devices of a rule were looked at */
export function spansOf(
  rules: readonly ScannedRule[],
  outages: readonly Outage[],
  nowMs: number,
  fromOf: (rule: ScannedRule) => number,
): Span<ScannedRule>[] {
  return rules.flatMap((rule) => {
    const condition = conditionOfKind(rule, 'offline') ?? conditionOfKind(rule, 'siteOffline')
    if (condition === null) return []
    return [{ rule, fromMs: fromOf(rule), cutoffMs: cutoffOf(condition.seconds, outages, nowMs) }]
  })
}

/** `spans`: one row for each rule. `went`: the devices of their times, once for rules with the same one. */
export function withSilence(spans: readonly Span[]): RawBuilder<unknown> {
  return sql`spans AS MATERIALIZED (
      SELECT * FROM unnest(${spans.map(({ rule }) => rule.id)}::uuid[], ${spans.map(({ rule }) => rule.targetSetId)}::uuid[],
        ${spans.map(({ rule }) => rule.partnerId)}::uuid[], ${spans.map(({ fromMs }) => fromMs)}::float8[],
        ${spans.map(({ cutoffMs }) => cutoffMs)}::float8[]) AS r(rule_id, set_id, partner_id, from_ms, cutoff_ms)),
    went AS MATERIALIZED (
      SELECT d.id, d.partner_id, d.org_id, d.site_id, d.tags, d.lifecycle, p.from_ms, p.cutoff_ms
      FROM (SELECT DISTINCT from_ms, cutoff_ms FROM spans) p CROSS JOIN LATERAL (
        SELECT s.device_id FROM device_state s WHERE s.status = 'offline' AND s.last_seen_at IS NOT NULL
          AND s.status_at > to_timestamp(p.from_ms / 1000) AND s.status_at <= to_timestamp(p.cutoff_ms / 1000)) s
      JOIN devices d ON d.id = s.device_id)`
}

/** The devices that went offline in the span of a rule, as a FROM clause over `went d` and `spans r`. */
export const wentInSpan = sql`went d JOIN spans r
  ON r.partner_id = d.partner_id AND r.from_ms = d.from_ms AND r.cutoff_ms = d.cutoff_ms`
