// The alerts of rules about devices: title, message and context.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Severity } from '../../../platform/events/severity.contract.ts'
import type { Raise } from '../lifecycle/raising.ts'
import { ConditionsInput } from './conditions.contract.ts'
import { type Matched, matchedFields } from './matched-words.ts'
import { renderTexts } from './rule-texts.ts'

/** What a rule says about its alerts. */
export interface RaisingRule {
  readonly id: string
  readonly partnerId: string
  readonly name: string
  readonly severity: Severity
  readonly version: number
  readonly conditions: unknown
  readonly autoResolve: boolean
  readonly reopenSeconds: number
  readonly title: string | null
  readonly message: string | null
  readonly channelIds: readonly string[]
  readonly policyId: string | null
  readonly dependsOnRuleIds: readonly string[]
  readonly snoozedUntil: string | null
}

/** A device for which the condition of a rule became true. */
export interface Firing {
  readonly ruleId: string
  readonly deviceId: string
  readonly figures?: readonly { readonly metric: string; readonly threshold: number; readonly value: number | null }[]
  readonly context?: Readonly<Record<string, unknown>>
}

interface Place {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string
  readonly orgName: string
  readonly siteId: string | null
  readonly siteName: string | null
  readonly hostname: string
  readonly displayName: string | null
  readonly tags: readonly string[]
}

async function placesOf(db: Db, deviceIds: readonly string[]): Promise<Map<string, Place>> {
  const { rows } =
    await sql<Place>`SELECT d.id, d.partner_id, d.org_id, o.name AS org_name, d.site_id, s.name AS site_name, d.hostname,
      d.display_name, d.tags
    FROM devices d JOIN organizations o ON o.id = d.org_id LEFT JOIN sites s ON s.id = d.site_id
    WHERE d.id = ANY (${[...new Set(deviceIds)]}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** For rules on filters, what made each device match. */
async function matchedOf(
  db: Db,
  rules: ReadonlyMap<string, RaisingRule>,
  firings: readonly Firing[],
): Promise<Map<string, Matched>> {
  const matched = new Map<string, Matched>()
  for (const rule of rules.values()) {
    const conditions = ConditionsInput.safeParse(rule.conditions)
    if (!conditions.success || !('kind' in conditions.data) || conditions.data.kind !== 'filter') continue
    const devices = firings.flatMap(({ ruleId, deviceId }) => (ruleId === rule.id ? [deviceId] : []))
    if (devices.length === 0) continue
    const found = await matchedFields(db, conditions.data.filter, devices)
    for (const [deviceId, fields] of found) matched.set(`${rule.id} ${deviceId}`, fields)
  }
  return matched
}

/** The alerts to raise. Devices that no longer exist have none. */
export async function raisesOf(
  db: Db,
  rules: ReadonlyMap<string, RaisingRule>,
  firings: readonly Firing[],
): Promise<Raise[]> {
  if (firings.length === 0) return []
  const places = await placesOf(
    db,
    firings.map(({ deviceId }) => deviceId),
  )
  const matched = await matchedOf(db, rules, firings)
  const at = new Date().toISOString()
  return firings.flatMap((firing): Raise[] => {
    const rule = rules.get(firing.ruleId)
    const place = places.get(firing.deviceId)
    if (rule === undefined || place === undefined || place.partnerId !== rule.partnerId) return []
    const [first] = firing.figures ?? []
    const found = matched.get(`${rule.id} ${place.id}`)
    const context =
      found === undefined
        ? firing.context
        : { summary: found.words, matched: { at, values: found.values }, ...firing.context }
    const device = {
      id: place.id,
      hostname: place.hostname,
      name: place.displayName ?? place.hostname,
      tags: place.tags,
    }
    const texts = renderTexts(rule, {
      device,
      organization: { id: place.orgId, name: place.orgName },
      site: place.siteId === null ? null : { id: place.siteId, name: place.siteName },
      metric: first?.metric ?? null,
      value: first?.value ?? null,
      threshold: first?.threshold ?? null,
      ...context,
    })
    return [
      {
        ...ofRule(rule),
        ...texts,
        key: `${rule.id}:${place.id}`,
        orgId: place.orgId,
        siteId: place.siteId,
        deviceId: place.id,
        context: {
          conditions: rule.conditions,
          hostname: device.name,
          ...context,
          figures: firing.figures ?? [],
        },
      },
    ]
  })
}

/** What all alerts of a rule have in common. */
export const ofRule = (rule: RaisingRule) => ({
  source: 'rule' as const,
  partnerId: rule.partnerId,
  ruleId: rule.id,
  ruleVersion: rule.version,
  severity: rule.severity,
  autoResolve: rule.autoResolve,
  reopenSeconds: rule.reopenSeconds,
  channelIds: rule.channelIds,
  policyId: rule.policyId,
  dependsOnRuleIds: rule.dependsOnRuleIds,
  snoozedUntil: rule.snoozedUntil,
})
