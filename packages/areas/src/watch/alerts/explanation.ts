import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Explanation, TimelineEntry } from './alerts.contract.ts'
import { metricColumn } from './evaluation/metric-columns.ts'
import type { StoredAlert } from './lifecycle/stored-alert.ts'
import { ConditionsInput, isMetricTree, leavesOf, type Metric } from './rules/conditions.contract.ts'

const samplesMax = 30
const samplesMinutes = 60

/** What became of the message `m` to a channel. */
const deliveryStatus = sql`(
  SELECT CASE WHEN m.held THEN 'held' WHEN m.skipped THEN 'skipped' WHEN bool_or(d.status IN ('pending', 'delivering')) THEN 'queued'
    WHEN bool_or(d.status = 'failed') THEN 'failed' WHEN bool_or(d.status = 'succeeded') THEN 'sent'
    WHEN bool_or(d.status = 'canceled') THEN 'canceled' END
  FROM deliveries d WHERE d.lane = 'channel:' || m.channel_id
    AND (d.key = m.key OR starts_with(d.key, m.key || ' ') OR m.digest AND EXISTS (
      SELECT FROM alert_messages o WHERE o.channel_id = m.channel_id AND o.digest AND o.at = m.at AND starts_with(d.key, 'digest:' || o.id))))`

/** The entries of an alert, and the messages about it with what became of them. Older messages have entries too. */
export async function timelineOf(db: Db, alertId: string): Promise<TimelineEntry[]> {
  const { rows } = await sql<TimelineEntry>`SELECT at, kind, actor_id, actor_name, note, details FROM (
      SELECT t.at, t.kind, t.actor_id, t.actor_name, t.note, t.id,
        CASE WHEN s.status IS NULL THEN t.details ELSE t.details || jsonb_build_object('status', s.status) END AS details
      FROM alert_timeline t LEFT JOIN LATERAL (SELECT ${deliveryStatus} AS status FROM alert_messages m
        WHERE m.channel_id = (t.details ->> 'channelId')::uuid AND m.key = t.details ->> 'key') s ON t.kind = 'message'
      WHERE t.alert_id = ${alertId}
      UNION ALL
      SELECT m.at, 'message', NULL, NULL, NULL, NULL, jsonb_build_object('to', m.recipient, 'channelId', m.channel_id, 'key', m.key,
        'kind', m.kind, 'step', m.step, 'status', coalesce(${deliveryStatus}, 'queued'))
      FROM alert_messages m WHERE m.alert_ids @> ARRAY[${alertId}::uuid]
        AND m.group_id IN (SELECT x.group_id FROM alert_group_members x WHERE x.alert_id = ${alertId})) e
    ORDER BY at, id NULLS LAST`.execute(db)
  return rows
}

/** The policy that the alert took: the one of its group. */
async function policyOf(db: Db, { id, policyId, groupId }: StoredAlert): Promise<string | null> {
  const { rows } = await sql<{
    policyId: string | null
  }>`SELECT g.policy_id FROM alert_group_members m JOIN alert_groups g ON g.id = m.group_id
    WHERE m.alert_id = ${id} ORDER BY g.id = ${groupId}::uuid DESC NULLS LAST, g.opened_at DESC LIMIT 1`.execute(db)
  return rows[0]?.policyId ?? policyId
}

/** The figures that a condition reads, up to the opening of the alert. */
async function samplesOf(db: Db, alert: StoredAlert, metrics: readonly Metric[]): Promise<Explanation['samples']> {
  if (alert.deviceId === null || metrics.length === 0) return []
  const { rows } = await sql<{ at: string; values: (number | null)[] }>`
    SELECT m.at, ARRAY[${sql.join(metrics.map(metricColumn))}]::float8[] AS values FROM device_metrics m
    WHERE m.device_id = ${alert.deviceId} AND m.org_id = ${alert.orgId}
      AND m.at <= ${alert.openedAt}::timestamptz + interval '1 second'
      AND m.at > ${alert.openedAt}::timestamptz - make_interval(mins => ${samplesMinutes})
    ORDER BY m.at DESC LIMIT ${samplesMax}`.execute(db)
  return rows
    .reverse()
    .flatMap(({ at, values }) =>
      metrics.map((metric, index) => ({ at, metric, value: rounded(values[index] ?? null) })),
    )
}

const Matched = z.object({
  at: z.string(),
  values: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]).nullable()),
})

/** The fields that a filter read when the alert opened. */
function matchedSamples({ context }: StoredAlert): Explanation['samples'] {
  const matched = Matched.safeParse(context.matched)
  if (!matched.success) return []
  const { at, values } = matched.data
  return Object.entries(values).map(([metric, value]) => ({ at, metric, value }))
}

/** Heartbeats are stored with seven digits. */
const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(7)))

/** What a message in the timeline says about itself. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export async function explanationOf(
  db: Db,
  alert: StoredAlert,
  timeline: readonly TimelineEntry[],
): Promise<Explanation> {
  const conditions = ConditionsInput.safeParse(alert.context.conditions)
  const leaves = conditions.success && isMetricTree(conditions.data) ? leavesOf(conditions.data) : []
  const metrics = [...new Set(leaves.map(({ metric }) => metric))]
  const [samples, policyId] = await Promise.all([samplesOf(db, alert, metrics), policyOf(db, alert)])
  const messages = timeline.filter(({ kind }) => kind === 'message')
  return {
    samples: samples.length > 0 ? samples : matchedSamples(alert),
    threshold: leaves[0]?.threshold ?? null,
    ruleVersion: alert.ruleVersion,
    policyId,
    messages: messages.map(({ at, details }) => ({
      at,
      to: text(details.to),
      kind: text(details.kind),
      step: typeof details.step === 'number' ? details.step : null,
      status: text(details.status),
    })),
    noMessage: messages.length > 0 ? null : whyNone(alert, policyId, timeline),
  }
}

const acts: Partial<Record<TimelineEntry['kind'], string>> = {
  acknowledged: 'acknowledged',
  resolved: 'resolved',
  suppressed: 'suppressed',
}

function whyNone(alert: StoredAlert, policyId: string | null, timeline: readonly TimelineEntry[]): string {
  if (alert.suppressionReason !== null) return alert.suppressionReason
  if (alert.status === 'suppressed') return 'The alert is suppressed'
  if (alert.flapping) return 'The alert changes too often. Messages wait until it is stable'
  if (policyId === null) return 'No channel and no policy applies'
  const act = timeline.find(({ kind, actorId }) => actorId !== null && acts[kind] !== undefined)
  if (act !== undefined)
    return `${act.actorName ?? 'A user'} ${acts[act.kind]} the alert before its first message was due`
  if (alert.status === 'resolved') return 'The alert ended before its first message was due'
  return 'No step of the policy that reaches a channel is due yet'
}
