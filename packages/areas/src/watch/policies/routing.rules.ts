// Which policies an alert takes, and in which group.
import type { GroupKey, Match } from './policies.contract.ts'

/** What policies look at. */
export interface Routed {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string | null
  readonly deviceId: string | null
  readonly ruleId: string | null
  readonly policyId: string | null
  readonly severity: string
  readonly source: string
  readonly tags: readonly string[]
  readonly groupIds: readonly string[]
  /** The window that held it back until a moment ago: what holds after it is one message. */
  readonly windowId: string | null
}

export interface RoutingPolicy {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly position: number
  readonly match: Match
  readonly groupBy: readonly GroupKey[]
  readonly continues: boolean
}

const isAmong = (list: readonly string[] | undefined, value: string | null): boolean =>
  list === undefined || (value !== null && list.includes(value))
const isAnyAmong = (list: readonly string[] | undefined, values: readonly string[]): boolean =>
  list === undefined || values.some((value) => list.includes(value))

export function matches(match: Match, alert: Routed, isBusiness: boolean): boolean {
  return (
    isAmong(match.severities, alert.severity) &&
    isAmong(match.orgIds, alert.orgId) &&
    isAmong(match.siteIds, alert.siteId) &&
    isAmong(match.ruleIds, alert.ruleId) &&
    isAmong(match.sources, alert.source) &&
    isAnyAmong(match.groupIds, alert.groupIds) &&
    isAnyAmong(match.tags, alert.tags) &&
    (match.hours === undefined || (match.hours === 'business') === isBusiness)
  )
}

/**
 * The policies of an alert. The one that its rule names applies regardless of what it matches. Else those of the organization
 * come before those of the partner, each in their order; the first that matches ends the search unless it continues.
 */
export function routesOf<Policy extends RoutingPolicy>(
  alert: Routed,
  policies: readonly Policy[],
  isBusiness: boolean,
): Policy[] {
  const named = policies.find(({ id }) => id === alert.policyId)
  if (named !== undefined) return [named]
  const own = policies.filter(
    ({ partnerId, orgId }) => partnerId === alert.partnerId && (orgId === null || orgId === alert.orgId),
  )
  const ordered = own.toSorted(
    (a, b) =>
      Number(a.orgId === null) - Number(b.orgId === null) || a.position - b.position || a.id.localeCompare(b.id),
  )
  const taken: Policy[] = []
  for (const policy of ordered) {
    if (!matches(policy.match, alert, isBusiness)) continue
    taken.push(policy)
    if (!policy.continues) break
  }
  return taken
}

const usual: readonly GroupKey[] = ['organization', 'rule']

/** Names the group of an alert within its policy. */
export function groupKeyOf(alert: Routed, groupBy: readonly GroupKey[] = usual): string {
  if (alert.windowId !== null) return `window:${alert.windowId}`
  const values: Readonly<Record<GroupKey, string>> = {
    organization: alert.orgId,
    site: alert.siteId ?? '-',
    rule: alert.ruleId ?? `${alert.source}`,
    device: alert.deviceId ?? '-',
    severity: alert.severity,
  }
  return groupBy.map((name) => `${name}:${values[name]}`).join(' ')
}
