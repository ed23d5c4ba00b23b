// Stores what an evaluation changed: results, transitions, events and alerts.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { emitAll, eventOf } from '../../../platform/events/index.ts'
import { Severity } from '../../../platform/events/severity.contract.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { clearAlerts, raiseAlerts } from '../../../watch/alerts/index.ts'
import type { ComplianceStatus } from '../compliance/counts.contract.ts'
import { policyRestored, policyViolated } from '../policies-events.contract.ts'
import type { EvaluatedDevice } from './devices.queries.ts'
import { type Excepted, type Finding, openFindings } from './pairs.rules.ts'

/** A pair of a policy and a device whose result is another one now. */
export interface ChangedPair {
  readonly device: EvaluatedDevice
  readonly policyId: string
  /** Null if the policy does not apply any more. */
  readonly policyName: string | null
  readonly before: ComplianceStatus
  readonly status: ComplianceStatus
  readonly findings: readonly Finding[]
  readonly exception: Excepted | undefined
  readonly alert: 'raise' | 'clear' | null
  /** Whether an alert was open before. */
  readonly alerted: boolean
}

const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`
const jsons = (values: readonly unknown[]) => sql`${values.map((value) => JSON.stringify(value))}::jsonb[]`

/** @returns the live events to publish after the commit */
export async function storeChanges(db: Db, pairs: readonly ChangedPair[]): Promise<PartnerEvent[]> {
  if (pairs.length === 0) return []
  const hasRow = ({ status }: ChangedPair) => status !== 'compliant' && status !== 'not_applicable'
  await Promise.all([
    storeResults(db, pairs.filter(hasRow)),
    dropResults(
      db,
      pairs.filter((pair) => !hasRow(pair)),
    ),
  ])
  const moved = pairs.filter(isTransition)
  await storeTransitions(db, moved)
  const names = await namesOf(db, moved)
  await emitAll(
    db,
    moved.flatMap((pair) => eventsOf(pair, names)),
  )
  return tellAlerts(db, pairs)
}

/** Of the policies that applied until now: they can be deactivated or deleted. */
async function namesOf(db: Db, pairs: readonly ChangedPair[]): Promise<Map<string, string>> {
  const ids = [...new Set(pairs.filter(({ policyName }) => policyName === null).map(({ policyId }) => policyId))]
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('devicePolicies').select(['id', 'name']).where(isOneOf('id', ids)).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** A pair that complies from the beginning does not change. */
const isTransition = ({ before, status }: ChangedPair): boolean =>
  before !== status && !(before === 'not_applicable' && status === 'compliant')

async function storeResults(db: Db, pairs: readonly ChangedPair[]): Promise<void> {
  if (pairs.length === 0) return
  const alerted = pairs.map(({ alert, alerted: was }) => (alert === null ? was : alert === 'raise'))
  await sql`INSERT INTO device_policy_results AS r (policy_id, device_id, org_id, partner_id, status, findings, alerted)
    SELECT * FROM unnest(${uuids(pairs.map(({ policyId }) => policyId))}, ${uuids(pairs.map(({ device }) => device.id))},
      ${uuids(pairs.map(({ device }) => device.orgId))}, ${uuids(pairs.map(({ device }) => device.partnerId))},
      ${pairs.map(({ status }) => status)}::text[], ${jsons(pairs.map(({ findings }) => findings))}, ${alerted}::boolean[])
    ON CONFLICT (policy_id, device_id) DO UPDATE SET status = excluded.status, findings = excluded.findings,
      alerted = excluded.alerted, since = CASE WHEN r.status = excluded.status THEN r.since ELSE excluded.since END`.execute(
    db,
  )
}

async function dropResults(db: Db, pairs: readonly ChangedPair[]): Promise<void> {
  if (pairs.length === 0) return
  await sql`DELETE FROM device_policy_results r
    USING unnest(${uuids(pairs.map(({ policyId }) => policyId))}, ${uuids(pairs.map(({ device }) => device.id))}) AS u(policy_id, device_id)
    WHERE r.policy_id = u.policy_id AND r.device_id = u.device_id`.execute(db)
}

async function storeTransitions(db: Db, pairs: readonly ChangedPair[]): Promise<void> {
  if (pairs.length === 0) return
  await sql`INSERT INTO device_policy_transitions (policy_id, device_id, org_id, partner_id, before, after, findings)
    SELECT * FROM unnest(${uuids(pairs.map(({ policyId }) => policyId))}, ${uuids(pairs.map(({ device }) => device.id))},
      ${uuids(pairs.map(({ device }) => device.orgId))}, ${uuids(pairs.map(({ device }) => device.partnerId))},
      ${pairs.map(({ before }) => before)}::text[], ${pairs.map(({ status }) => status)}::text[],
      ${jsons(pairs.map(({ findings }) => findings))})`.execute(db)
}

function eventsOf(pair: ChangedPair, names: ReadonlyMap<string, string>) {
  const { device, policyId, before, status, findings, exception } = pair
  const type = status === 'non_compliant' ? policyViolated : before === 'non_compliant' ? policyRestored : null
  if (type === null || status === 'pending' || status === 'error') return []
  const { id: deviceId, partnerId, orgId, siteId, hostname } = device
  const rules = openFindings(findings, exception).map(({ key }) => key)
  const policyName = pair.policyName ?? names.get(policyId) ?? ''
  const data = { policyId, policyName, hostname, status, rules }
  return [eventOf(type, { partnerId, orgId, siteId, deviceId, data })]
}

const keyOf = ({ policyId, device }: ChangedPair): string => `${policyId}:${device.id}`

function raiseOf(pair: ChangedPair) {
  const { device, policyId, policyName, findings, exception } = pair
  const { id: deviceId, partnerId, orgId, siteId, hostname } = device
  const open = openFindings(findings, exception).filter(({ status }) => status === 'non_compliant')
  const worst = Severity.options.find((severity) => open.some((finding) => finding.severity === severity))
  const told = open.map(
    ({ key, message, expected, actual }) => message ?? `${key}: ${expected}, but ${actual ?? 'unknown'}`,
  )
  return {
    ...{ source: 'policy' as const, key: keyOf(pair), partnerId, orgId, siteId, deviceId },
    severity: worst ?? ('medium' as const),
    title: `${policyName ?? 'Policy'}: ${hostname} does not comply`,
    message: told.join('\n').slice(0, 4_000),
    context: { policyId, rules: open.map(({ key }) => key) },
  }
}

async function tellAlerts(db: Db, pairs: readonly ChangedPair[]): Promise<PartnerEvent[]> {
  const raised = await raiseAlerts(db, pairs.filter(({ alert }) => alert === 'raise').map(raiseOf))
  const cleared = await clearAlerts(
    db,
    pairs.filter(({ alert }) => alert === 'clear').map((pair) => ({ source: 'policy', key: keyOf(pair) })),
  )
  return [...raised.events, ...cleared]
}
