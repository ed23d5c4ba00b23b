// Rules on events: an event that matches raises an alert, and another one counts.
import { handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { follower } from '../../../background/follower.ts'
import { inTargetsSql } from '../../../fleet/targets/index.ts'
import type { StoredEvent } from '../../../platform/events/event-type.contract.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { raiseAlerts } from '../lifecycle/raise.ts'
import { ConditionsInput } from '../rules/conditions.contract.ts'
import { ofRule, type RaisingRule, raisesOf } from '../rules/rule-alerts.ts'
import { renderTexts } from '../rules/rule-texts.ts'

interface EventRule extends RaisingRule {
  readonly orgId: string | null
  readonly type: string
}

interface Match {
  readonly ruleId: string
  readonly eventId: string
}

const isWanted = (where: Readonly<Record<string, unknown>> | undefined, { data }: StoredEvent): boolean =>
  Object.entries(where ?? {}).every(([field, value]) => data[field] === value)

/**
 * Raises the alerts that events cause. Whether an event concerns a rule is decided by the devices that the rule targets.
 * @returns live events, to publish after the commit
 */
export async function raiseForEvents(client: pg.PoolClient, events: readonly StoredEvent[]): Promise<PartnerEvent[]> {
  const db = handleOn(client)
  const { rows: rules } =
    await sql<EventRule>`SELECT id, partner_id, org_id, name, severity, version, conditions, auto_resolve,
      reopen_seconds, title, message, channel_ids, policy_id, depends_on_rule_ids, snoozed_until, conditions ->> 'type' AS type
    FROM alert_rules WHERE kind = 'event' AND enabled AND conditions ->> 'type' = ANY (${[...new Set(events.map(({ type }) => type))]}::text[])
    ORDER BY id FOR SHARE`.execute(db)
  if (rules.length === 0) return []
  const { rows: matches } = await sql<Match>`SELECT r.id AS rule_id, e.id AS event_id
    FROM unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ type }) => type)}::text[], ${events.map(({ partnerId }) => partnerId)}::uuid[],
      ${events.map(({ orgId }) => orgId)}::uuid[], ${events.map(({ deviceId }) => deviceId)}::uuid[]) AS e(id, type, partner_id, org_id, device_id)
    JOIN alert_rules r ON r.id = ANY (${rules.map(({ id }) => id)}::uuid[]) AND r.partner_id = e.partner_id AND r.conditions ->> 'type' = e.type
    JOIN target_sets t ON t.id = r.target_set_id LEFT JOIN devices d ON d.id = e.device_id
    WHERE CASE WHEN e.device_id IS NULL THEN e.org_id IS NOT NULL AND t.everything AND t.filter IS NULL AND (t.org_id IS NULL OR t.org_id = e.org_id)
      ELSE coalesce(${sql.raw(inTargetsSql('t', 'd'))}, false) END`.execute(db)
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const eventOf = new Map(events.map((event) => [event.id, event]))
  const wanted = matches.flatMap(({ ruleId, eventId }) => {
    const [rule, event] = [byId.get(ruleId), eventOf.get(eventId)]
    const parsed = ConditionsInput.safeParse(rule?.conditions)
    if (rule === undefined || event === undefined || !parsed.success) return []
    if (!('kind' in parsed.data) || parsed.data.kind !== 'event' || !isWanted(parsed.data.where, event)) return []
    return [{ rule, event, context: { event: event.type, data: event.data, summary: `Event ${event.type}` } }]
  })
  const ofDevices = await raisesOf(
    db,
    byId,
    wanted.flatMap(({ rule, event, context }) =>
      event.deviceId === null ? [] : [{ ruleId: rule.id, deviceId: event.deviceId, context }],
    ),
  )
  const others = wanted.flatMap(({ rule, event, context }) =>
    event.deviceId !== null || event.orgId === null
      ? []
      : [
          {
            ...ofRule(rule),
            ...renderTexts(rule, context),
            key: `${rule.id}:${event.siteId ?? event.orgId}`,
            orgId: event.orgId,
            siteId: event.siteId,
            context,
          },
        ],
  )
  const raised = await raiseAlerts(db, [...ofDevices, ...others])
  // An event is over at once: the next one counts again.
  await sql`UPDATE alerts SET holds = false WHERE rule_id = ANY (${rules.map(({ id }) => id)}::uuid[]) AND holds`.execute(
    db,
  )
  return raised.events
}

export const eventAlerts = follower({
  name: 'alert-events',
  types: 'all',
  batchMax: 500,
  handle: async (client, events) => ({ events: await raiseForEvents(client, events) }),
})
