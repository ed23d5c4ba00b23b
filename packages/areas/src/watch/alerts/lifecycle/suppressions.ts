// Why an alert that opens now is suppressed: its rule is snoozed, a rule that it depends on is open, or the device is in a
// maintenance window.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { windowsOver } from './maintenance.ts'
import type { Raise } from './raising.ts'

export interface Suppressing {
  readonly kind: 'maintenance' | 'dependency' | 'rule'
  readonly id: string | null
  readonly reason: string
  readonly until: string | null
}

interface Parent {
  readonly id: string
  readonly title: string
  readonly ruleId: string
  readonly deviceId: string | null
  readonly siteId: string | null
  readonly isSiteOffline: boolean
}

/** The alert is about a device that is offline. An alert about its whole site explains it. */
const saysOffline = ({ context }: Raise): boolean => {
  const conditions: unknown = context?.conditions
  return typeof conditions === 'object' && conditions !== null && 'kind' in conditions && conditions.kind === 'offline'
}

/** Open alerts of rules that others depend on, about these devices or their sites. */
async function parentsOf(db: Db, raises: readonly Raise[]): Promise<Parent[]> {
  const ruleIds = [...new Set(raises.flatMap(({ dependsOnRuleIds = [] }) => dependsOnRuleIds))]
  const isSilence = raises.some(saysOffline)
  if (ruleIds.length === 0 && !isSilence) return []
  const deviceIds = [...new Set(raises.flatMap(({ deviceId }) => deviceId ?? []))]
  const siteIds = [...new Set(raises.flatMap(({ siteId }) => siteId ?? []))]
  const { rows } = await sql<Parent>`SELECT id, title, rule_id, device_id, site_id,
      coalesce(context -> 'conditions' ->> 'kind' = 'siteOffline', false) AS is_site_offline
    FROM alerts
    WHERE rule_id IN (SELECT unnest(${ruleIds}::uuid[]) UNION SELECT id FROM alert_rules WHERE ${isSilence} AND kind = 'siteOffline' AND enabled)
      AND status <> 'resolved' AND holds
      AND (device_id = ANY (${deviceIds}::uuid[]) OR device_id IS NULL AND site_id = ANY (${siteIds}::uuid[]))`.execute(
    db,
  )
  return rows
}

const isAbove = (parent: Parent, raise: Raise): boolean => {
  const { deviceId, siteId, dependsOnRuleIds = [] } = raise
  const isNamed = dependsOnRuleIds.includes(parent.ruleId) || (parent.isSiteOffline && saysOffline(raise))
  return isNamed && (parent.deviceId === null ? parent.siteId === (siteId ?? null) : parent.deviceId === deviceId)
}

export async function suppressionsOf(db: Db, raises: readonly Raise[]): Promise<ReadonlyMap<Raise, Suppressing>> {
  const now = Date.now()
  const [parents, windows] = await Promise.all([
    parentsOf(db, raises),
    windowsOver(
      db,
      raises.flatMap(({ deviceId }) => deviceId ?? []),
    ),
  ])
  const found = new Map<Raise, Suppressing>()
  for (const raise of raises) {
    const { snoozedUntil, ruleId, deviceId } = raise
    const parent = parents.find((each) => isAbove(each, raise))
    const window = deviceId == null ? undefined : windows.get(deviceId)
    if (snoozedUntil != null && Date.parse(snoozedUntil) > now)
      found.set(raise, { kind: 'rule', id: ruleId ?? null, reason: 'The rule is snoozed', until: snoozedUntil })
    else if (window !== undefined)
      found.set(raise, { kind: 'maintenance', id: window.windowId, reason: window.reason, until: null })
    else if (parent !== undefined)
      found.set(raise, {
        kind: 'dependency',
        id: parent.id,
        reason: `Depends on: ${parent.title}`.slice(0, 500),
        until: null,
      })
  }
  return found
}
