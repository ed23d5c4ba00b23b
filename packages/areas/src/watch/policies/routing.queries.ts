import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { GroupKey, Match, Step } from './policies.contract.ts'
import type { Routed, RoutingPolicy } from './routing.rules.ts'

export interface Policy extends RoutingPolicy {
  readonly name: string
  readonly groupWaitSeconds: number
  readonly groupIntervalSeconds: number
  readonly repeatIntervalSeconds: number
  readonly steps: readonly Step[]
  readonly loops: number
}

/** The enabled policies of partners, and the settings with their business hours. */
export async function routePolicies(
  db: Db,
  partnerIds: readonly string[],
): Promise<{ policies: Policy[]; settings: Map<string, unknown> }> {
  const [rows, partners] = await Promise.all([
    sql<Omit<Policy, 'match' | 'steps' | 'groupBy'> & { match: unknown; steps: unknown; groupBy: string[] }>`
      SELECT id, partner_id, org_id, name, position, match, group_by, group_wait_seconds, group_interval_seconds,
        repeat_interval_seconds, steps, loops, continues
      FROM alert_policies WHERE enabled AND partner_id = ANY (${[...partnerIds]}::uuid[])`.execute(db),
    sql<{
      id: string
      settings: unknown
    }>`SELECT id, settings FROM partners WHERE id = ANY (${[...partnerIds]}::uuid[])`.execute(db),
  ])
  const policies = rows.rows.map((row) => ({
    ...row,
    match: Match.parse(row.match),
    steps: Step.array().parse(row.steps),
    groupBy: GroupKey.array().parse(row.groupBy),
  }))
  return { policies, settings: new Map(partners.rows.map(({ id, settings }) => [id, settings])) }
}

type Place = Omit<Routed, 'id' | 'policyId' | 'tags' | 'groupIds' | 'windowId'>

/** An alert that is not there yet, as policies would see it. */
export async function routedNow(db: Db, place: Place): Promise<Routed> {
  const { rows } = await sql<Pick<Routed, 'tags' | 'groupIds'>>`SELECT d.tags,
      ARRAY(SELECT m.group_id FROM device_group_members m WHERE m.device_id = d.id) AS group_ids
    FROM devices d WHERE d.id = ${place.deviceId}`.execute(db)
  const { rows: rules } = await sql<{
    policyId: string | null
  }>`SELECT policy_id FROM alert_rules WHERE id = ${place.ruleId}`.execute(db)
  const device = rows[0] ?? { tags: [], groupIds: [] }
  return { ...place, ...device, id: '', policyId: rules[0]?.policyId ?? null, windowId: null }
}

/** An alert that changed, as policies see it. */
export interface RoutedAlert extends Routed {
  readonly status: 'active' | 'acknowledged' | 'suppressed' | 'resolved'
  readonly resolution: string | null
  readonly suppressionKind: string | null
  readonly flapping: boolean
  readonly title: string
  readonly lastChangedAt: string
  readonly channelIds: readonly string[]
  readonly occurrences: number
}

export async function routedAlerts(db: Db, alertIds: readonly string[]): Promise<RoutedAlert[]> {
  const { rows } =
    await sql<RoutedAlert>`SELECT a.id, a.partner_id, a.org_id, a.site_id, a.device_id, a.rule_id, a.policy_id, a.severity,
      a.source, a.status, a.resolution, a.suppression_kind, a.flapping, a.title, a.last_changed_at, a.channel_ids, a.occurrences,
      a.context ->> 'afterWindow' AS window_id, coalesce(d.tags, '{}') AS tags,
      ARRAY(SELECT m.group_id FROM device_group_members m WHERE m.device_id = a.device_id) AS group_ids
    FROM alerts a LEFT JOIN devices d ON d.id = a.device_id WHERE a.id = ANY (${[...alertIds]}::uuid[]) ORDER BY a.opened_at, a.id`.execute(
      db,
    )
  return rows
}
