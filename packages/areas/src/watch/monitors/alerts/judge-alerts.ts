// Raises and clears the alerts of monitors, in the transaction that stores what was observed.
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import { type Selectable, sql } from 'kysely'
import type { Observed } from '../../../background/observer.ts'
import type { Call } from '../../../operation.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { clearAlerts, endAlertsByKey, nameOf, raiseAlerts } from '../../alerts/index.ts'
import { daysUntil } from '../checks/status.rules.ts'
import type { StoredMonitor } from '../monitor.queries.ts'
import type { MonitorStatus } from '../words.contract.ts'

export type StoredAlertRule = Selectable<Tables['monitorAlerts']>

/** A monitor after it was looked at. */
export interface Looked {
  readonly monitor: StoredMonitor
  readonly status: MonitorStatus
  readonly reason: string | null
  readonly observed: readonly Observed[]
}

interface Seen {
  /** Null: nothing is known, and the alert stays as it is. */
  readonly holds: boolean | null
  /** Rounds that agree. */
  readonly rounds: number
  readonly value: number | null
}

const known = (holds: boolean, rounds: number, value: number | null = null): Seen => ({ holds, rounds, value })
const nothing: Seen = { holds: null, rounds: 0, value: null }

/** Whether the condition of a rule is true. A monitor without a status says nothing about its target. */
export function seen({ condition, threshold }: Pick<StoredAlertRule, 'condition' | 'threshold'>, looked: Looked): Seen {
  const { status, reason, observed } = looked
  const rounds = Math.max(
    1,
    observed.reduce((sum, each) => sum + each.rounds, 0),
  )
  if (condition === 'noProbe') return known(status === 'unknown' && reason === 'no_probe', 1_000)
  if (status === 'paused') return known(false, rounds)
  if (status === 'unknown') return nothing
  if (condition === 'offline' || condition === 'degraded') return known(status === condition, rounds)
  if (condition === 'responseTime') {
    const answered = observed.filter(({ sumMs }) => sumMs !== undefined)
    if (answered.length === 0) return nothing
    const good = answered.reduce((sum, each) => sum + Math.max(1, each.rounds - each.failed), 0)
    const average = answered.reduce((sum, { sumMs = 0 }) => sum + sumMs, 0) / good
    return known(average > (threshold ?? Number.POSITIVE_INFINITY), good, Math.round(average))
  }
  const expires = observed.flatMap(({ certificateExpiresAt }) => certificateExpiresAt ?? [])
  if (expires.length === 0) return nothing
  const days = daysUntil(Math.min(...expires), Date.now())
  return known(days < (threshold ?? 0), rounds, days)
}

const alertKey = (ruleId: string): string => `monitor:${ruleId}`

function wordsOf({ condition, threshold }: StoredAlertRule, { monitor, reason }: Looked, value: number | null) {
  const { name, target } = monitor
  const because = reason === null ? '' : `: ${reason}`
  switch (condition) {
    case 'offline':
      return { title: `${name} is offline`, message: `${target} does not answer${because}` }
    case 'degraded':
      return { title: `${name} is degraded`, message: `${target} answers, but not well${because}` }
    case 'responseTime':
      return {
        title: `${name} is slow`,
        message: `${target} answered after ${value} ms. The threshold is ${threshold} ms`,
      }
    case 'certificate':
      return {
        title: `The certificate of ${name} expires`,
        message: `The certificate of ${target} expires in ${value} days`,
      }
    case 'noProbe':
      return { title: `${name} is not checked`, message: `No connected device can check ${target}` }
  }
}

/** Counts rounds for the rules of monitors, and raises or clears their alerts. */
export async function judgeAlerts(db: Db, looked: readonly Looked[]): Promise<PartnerEvent[]> {
  if (looked.length === 0) return []
  const byId = new Map(looked.map((each) => [each.monitor.id, each]))
  const { rows } = await sql<StoredAlertRule>`SELECT * FROM monitor_alerts
    WHERE monitor_id = ANY (${[...byId.keys()]}::uuid[]) AND enabled ORDER BY id FOR NO KEY UPDATE`.execute(db)
  const raised: { rule: StoredAlertRule; value: number | null; looked: Looked }[] = []
  const cleared: StoredAlertRule[] = []
  const counted: { id: string; counted: number; firing: boolean }[] = []
  for (const rule of rows) {
    const at = byId.get(rule.monitorId)
    if (at === undefined) continue
    const { holds, rounds, value } = seen(rule, at)
    if (holds === null) continue
    const count = holds ? Math.min(1_000_000, rule.counted + rounds) : 0
    const firing = count >= rule.consecutive
    if (firing && !rule.firing) raised.push({ rule, value, looked: at })
    if (!firing && rule.firing) cleared.push(rule)
    if (firing !== rule.firing || (count !== rule.counted && !rule.firing))
      counted.push({ id: rule.id, counted: count, firing })
  }
  if (counted.length > 0)
    await sql`UPDATE monitor_alerts a SET counted = u.counted, firing = u.firing
      FROM unnest(${counted.map(({ id }) => id)}::uuid[], ${counted.map(({ counted }) => counted)}::int[],
        ${counted.map(({ firing }) => firing)}::boolean[]) AS u(id, counted, firing) WHERE a.id = u.id`.execute(db)
  const cleaned = await clearRules(db, cleared)
  const { events } = await raiseAlerts(
    db,
    raised.map(({ rule, value, looked }) => ({
      source: 'monitor' as const,
      key: alertKey(rule.id),
      partnerId: rule.partnerId,
      orgId: rule.orgId,
      siteId: looked.monitor.siteId,
      monitorId: rule.monitorId,
      severity: rule.severity,
      ...limited(wordsOf(rule, looked, value)),
      context: {
        condition: rule.condition,
        threshold: rule.threshold,
        value,
        target: looked.monitor.target,
        reason: looked.reason,
      },
      channelIds: rule.channelIds,
      policyId: rule.policyId,
    })),
  )
  return [...cleaned, ...events]
}

const limited = ({ title, message }: { title: string; message: string }) => ({
  title: title.slice(0, 500),
  message: message.slice(0, 4_000),
})

/** Clears the alerts of these rules. */
const clearRules = (db: Db, rules: readonly Pick<StoredAlertRule, 'id'>[]): Promise<PartnerEvent[]> =>
  clearAlerts(
    db,
    rules.map(({ id }) => ({ source: 'monitor', key: alertKey(id) })),
  )

type Ending = 'rule_changed' | 'rule_disabled' | 'rule_deleted'

/** Ends what rules of monitors raised, because they ask nothing or something else now. */
export async function endRules(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  rules: readonly Pick<StoredAlertRule, 'id'>[],
  resolution: Ending,
): Promise<PartnerEvent[]> {
  const actor = { id: caller.userId, name: await nameOf(db, caller.userId) }
  return endAlertsByKey(
    db,
    rules.map(({ id }) => alertKey(id)),
    resolution,
    actor,
  )
}

/** Ends what the rules of a monitor raised, and counts from the beginning. */
export async function endRulesOf(
  call: Pick<Call, 'db' | 'caller'>,
  monitorId: string,
  resolution: Ending,
): Promise<PartnerEvent[]> {
  const { rows } = await sql<{ id: string }>`UPDATE monitor_alerts SET firing = false, counted = 0
    WHERE monitor_id = ${monitorId} RETURNING id`.execute(call.db)
  return endRules(call, rows, resolution)
}
