// Puts alerts into the groups that messages are about, as soon as they open, and stops groups when people act.
import { type Db, handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { follower } from '../../background/follower.ts'
import { deliverNow } from '../../platform/deliveries/index.ts'
import { alertEvents } from '../alerts/alerts-events.contract.ts'
import { flappingMinutes, noteGroup } from '../alerts/index.ts'
import { isBusinessHour } from './hours.rules.ts'
import { type GroupMessage, queueMessages } from './messages/messages.ts'
import { type Policy, type RoutedAlert, routedAlerts, routePolicies } from './routing.queries.ts'
import { groupKeyOf, routesOf } from './routing.rules.ts'

/** Without a policy, people who see the alert are notified in the console. */
const unrouted = { groupWaitSeconds: 30, groupIntervalSeconds: 300 }

interface Membership {
  readonly alert: RoutedAlert
  readonly policy: Policy | null
  readonly key: string
}

/** Adds alerts to their groups. A new group waits for others from its first alert on; one that was told about waits for its interval. */
async function join(db: Db, memberships: readonly Membership[]): Promise<void> {
  const groups = Map.groupBy(memberships, ({ alert, policy, key }) => `${alert.partnerId} ${policy?.id ?? ''} ${key}`)
  for (const members of groups.values()) {
    const [first] = members
    if (first === undefined) continue
    const { policy, key, alert } = first
    const { groupWaitSeconds, groupIntervalSeconds: interval } = policy ?? unrouted
    // What flaps might end before the wait is over, each time.
    const wait = members.some((member) => member.alert.flapping) ? 0 : groupWaitSeconds
    const orgIds = new Set(members.map((member) => member.alert.orgId))
    const firstStep = (policy?.steps[0]?.afterMinutes ?? 0) * 60
    const since = members.map((member) => member.alert.lastChangedAt).sort()[0] ?? alert.lastChangedAt
    const { rows } = await sql<{
      id: string
    }>`INSERT INTO alert_groups AS g (partner_id, org_id, policy_id, key, step_at)
      VALUES (${alert.partnerId}, ${orgIds.size === 1 ? alert.orgId : null}, ${policy?.id ?? null}, ${key},
        least(now(), ${since}::timestamptz) + make_interval(secs => ${Math.max(wait, firstStep)}))
      ON CONFLICT (partner_id, coalesce(policy_id, partner_id), key) WHERE closed_at IS NULL AND stopped_at IS NULL
      DO UPDATE SET notify_at = CASE WHEN g.notified_at IS NULL THEN g.notify_at
          ELSE least(g.notify_at, greatest(now(), g.notified_at + make_interval(secs => ${interval}))) END,
        step_at = CASE WHEN g.step_at IS NULL AND g.step < ${policy?.steps.length ?? 1} THEN excluded.step_at ELSE g.step_at END,
        org_id = CASE WHEN g.org_id IS NOT DISTINCT FROM excluded.org_id THEN g.org_id END
      RETURNING g.id`.execute(db)
    const groupId = rows[0]?.id ?? ''
    const ids = members.map((member) => member.alert.id)
    // That it flaps was told already if the message about it in the group before said so.
    await sql`INSERT INTO alert_group_members (group_id, alert_id, partner_id, org_id, told_flapping)
      SELECT ${groupId}::uuid, a.id, a.partner_id, a.org_id, CASE WHEN a.flapping THEN coalesce((
          SELECT x.told_flapping FROM alerts b JOIN alert_group_members x ON x.alert_id = b.id JOIN alert_groups o ON o.id = x.group_id
          WHERE b.source = a.source AND b.key = a.key AND b.last_changed_at > now() - make_interval(mins => ${flappingMinutes})
            AND o.policy_id IS NOT DISTINCT FROM ${policy?.id ?? null}::uuid
          ORDER BY o.opened_at DESC, b.opened_at DESC LIMIT 1), false) ELSE false END
      FROM alerts a WHERE a.id = ANY (${ids}::uuid[])
      ON CONFLICT (group_id, alert_id) DO UPDATE SET told_flapping = excluded.told_flapping
        WHERE alert_group_members.told_flapping <> excluded.told_flapping`.execute(db)
    await noteGroup(db, ids, groupId)
  }
}

/** An action of a person on one alert stops the steps of its groups. Groups whose alerts have all ended are due at once. */
async function follow(db: Db, changed: readonly RoutedAlert[], isByPerson: ReadonlySet<string>): Promise<void> {
  const stopping = changed.filter(({ id }) => isByPerson.has(id)).map(({ id }) => id)
  await sql`UPDATE alert_groups SET stopped_at = now(), step_at = NULL, repeat_at = NULL
    WHERE closed_at IS NULL AND stopped_at IS NULL
      AND id IN (SELECT group_id FROM alert_group_members WHERE alert_id = ANY (${stopping}::uuid[]))`.execute(db)
  await sql`UPDATE alert_groups g SET notify_at = now() WHERE g.closed_at IS NULL
      AND g.id IN (SELECT group_id FROM alert_group_members WHERE alert_id = ANY (${changed.map(({ id }) => id)}::uuid[]))
      AND NOT EXISTS (SELECT FROM alert_group_members m JOIN alerts a ON a.id = m.alert_id
        WHERE m.group_id = g.id AND a.status <> 'resolved')`.execute(db)
}

/** Channels that a rule names are notified at once, beside the policy: one message per rule and group. */
function messagesOfRules(
  active: readonly RoutedAlert[],
  groupOf: ReadonlyMap<string, string>,
  eventId: string,
): GroupMessage[] {
  const told = active.flatMap((alert) => {
    const groupId = groupOf.get(alert.id)
    return groupId === undefined || alert.channelIds.length === 0 ? [] : [{ ...alert, groupId }]
  })
  const together = Map.groupBy(
    told,
    ({ ruleId, orgId, channelIds, groupId }) => `${ruleId ?? orgId} ${channelIds.join()} ${groupId}`,
  )
  return [...together.values()].flatMap((alerts): GroupMessage[] => {
    const [first] = alerts
    if (first === undefined) return []
    const { groupId, channelIds, ruleId, orgId } = first
    const key = `rule:${ruleId ?? orgId}:${groupId}:${eventId}`
    return [{ groupId, channelIds, key, kind: 'alert', step: null, alertIds: alerts.map(({ id }) => id) }]
  })
}

interface AlertEvent {
  readonly id: string
  readonly type: string
  readonly alertId: string
}

/** Routes the alerts of events, by their state now. */
export async function routeAlerts(
  client: pg.PoolClient,
  events: readonly AlertEvent[],
  publicUrl: string,
): Promise<void> {
  const db = handleOn(client)
  const alerts = await routedAlerts(db, [...new Set(events.map(({ alertId }) => alertId))])
  const { policies, settings } = await routePolicies(db, [...new Set(alerts.map(({ partnerId }) => partnerId))])
  const begun = new Set(events.flatMap(({ type, alertId }) => (/opened$/.test(type) ? [alertId] : [])))
  const active = alerts.filter(({ id, status }) => status === 'active' && begun.has(id))
  const nowMs = Date.now()
  const memberships = active.flatMap((alert): Membership[] => {
    const routes = routesOf(alert, policies, isBusinessHour(settings.get(alert.partnerId), nowMs))
    if (routes.length === 0) return [{ alert, policy: null, key: groupKeyOf(alert) }]
    return routes.map((policy) => ({ alert, policy, key: groupKeyOf(alert, policy.groupBy) }))
  })
  await join(db, memberships)
  const { rows } = await sql<{ alertId: string; groupId: string }>`SELECT id AS alert_id, group_id FROM alerts
    WHERE id = ANY (${active.map(({ id }) => id)}::uuid[]) AND group_id IS NOT NULL`.execute(db)
  const groupOf = new Map(rows.map(({ alertId, groupId }) => [alertId, groupId]))
  const { rows: toldRows } = await sql<{ groupId: string }>`SELECT DISTINCT group_id FROM alert_messages
    WHERE group_id = ANY (${[...new Set(groupOf.values())]}::uuid[]) AND step IS NULL AND kind = 'alert'`.execute(db)
  const told = new Set(toldRows.map(({ groupId }) => groupId))
  const heard = active.filter(({ id, flapping }) => !(flapping && told.has(groupOf.get(id) ?? '')))
  await queueMessages(db, messagesOfRules(heard, groupOf, events[0]?.id ?? ''), publicUrl)
  const ended = alerts.filter(({ status }) => status !== 'active')
  const byPerson = ended.filter(
    ({ status, resolution, suppressionKind }) =>
      status === 'acknowledged' || resolution === 'manual' || suppressionKind === 'user',
  )
  await follow(db, ended, new Set(byPerson.map(({ id }) => id)))
}

export const alertRouting = follower({
  name: 'alert-routing',
  types: alertEvents,
  batchMax: 2_000,
  async handle(client, events, parts) {
    const named = events.flatMap(({ id, type, data: { alertId } }) =>
      typeof alertId === 'string' ? [{ id, type, alertId }] : [],
    )
    await routeAlerts(client, named, parts.settings.publicUrl)
    return { afterCommit: deliverNow }
  },
})
