import { allOf, always, type Condition, equals, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import { asSystem } from '@muster/db/database.ts'
import { pagedSql } from '@muster/db/page.ts'
import { conflict, invalid } from '@muster/kit/errors.ts'
import { type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import { requireWholeOrganization, within } from '../../../tenancy/tenancy/index.ts'
import { evaluateDevices } from '../evaluation/evaluate.ts'
import { queueDevices } from '../evaluation/marks.ts'
import type { Finding } from '../evaluation/pairs.rules.ts'
import { PolicyBooks } from '../evaluation/policy-books.ts'
import { changeablePolicy, selectPolicies, storedPolicyById } from '../policies.queries.ts'
import type { Remediation } from '../remediation/remediation.contract.ts'
import { compliance as contract } from './compliance.contract.ts'
import { type ComplianceStatus, ComplianceStatus as Status } from './counts.contract.ts'
import { countsByOrganization, countsByPolicy, noCounts, percentOf, sumOf } from './counts.queries.ts'
import { trendOf } from './days.ts'
import { failedOf } from './failed.ts'

const ofOrganization = (column: string, orgId: string | undefined): Condition =>
  orgId === undefined ? always : equals(column, orgId)

interface PairRow {
  readonly deviceId: string
  readonly hostname: string
  readonly orgId: string
  readonly status: ComplianceStatus
  readonly since: string
  readonly findings: Finding[]
  readonly exception: { id: string; reason: string; expiresAt: string | null } | null
  readonly remediation: z.infer<typeof Remediation> | null
}

/** The devices of a policy with their status, for `pagedSql`. */
const pairsOf = (policyId: string, where: Condition) => sql<PairRow>`
  SELECT * FROM (
    SELECT devices.id AS device_id, devices.hostname, devices.org_id,
      coalesce(r.status, CASE WHEN ${policyId}::uuid = ANY (e.applied) THEN 'compliant' ELSE 'not_applicable' END) AS status,
      coalesce(r.since, (SELECT max(t.at) FROM device_policy_transitions t
        WHERE t.policy_id = ${policyId}::uuid AND t.device_id = devices.id), s.placed_at) AS since,
      coalesce(r.findings, '[]') AS findings,
      (SELECT jsonb_build_object('id', x.id, 'reason', x.reason, 'expiresAt', x.expires_at) FROM device_policy_exceptions x
        WHERE x.policy_id = ${policyId}::uuid AND (x.expires_at IS NULL OR x.expires_at > now())
          AND (x.device_id = devices.id OR x.group_id IN (SELECT m.group_id FROM device_group_members m WHERE m.device_id = devices.id))
        ORDER BY x.rule_key NULLS FIRST, x.created_at LIMIT 1) AS exception,
      (SELECT jsonb_build_object('attempts', max(m.attempts) OVER (), 'nextAt', to_char(min(m.next_at) OVER () AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'state', CASE WHEN m.state <> 'remediation_failed' AND h.held IS NOT NULL THEN 'held' ELSE m.state END)
        FROM device_policy_remediations m JOIN device_policy_enforcements h ON h.policy_id = m.policy_id
        WHERE m.policy_id = ${policyId}::uuid AND m.device_id = devices.id
        ORDER BY array_position(ARRAY['remediation_failed', 'held', 'running', 'pending'], m.state) LIMIT 1) AS remediation
    FROM device_policy_states s JOIN devices ON devices.id = s.device_id JOIN device_policy_sets e ON e.id = s.set_id
    LEFT JOIN device_policy_results r ON r.policy_id = ${policyId}::uuid AND r.device_id = devices.id
    WHERE (${policyId}::uuid = ANY (e.applied) OR ${policyId}::uuid = ANY (e.skipped)) AND ${where}) pairs`

/** Spares a look at all devices: only pairs that comply, or to which the policy does not apply, have no row. */
const mayHave = (statuses: readonly ComplianceStatus[]): Condition =>
  statuses.includes('compliant') || statuses.includes('not_applicable') ? always : isOneOf('r.status', statuses)

/** The devices of the policy among those given, or all of them. @throws VALIDATION_ERROR for devices that the caller does not see */
async function devicesToEvaluate(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  targetSetId: string,
  deviceIds: readonly string[] | undefined,
): Promise<string[]> {
  if (deviceIds !== undefined) {
    const seen = await db
      .selectFrom('devices')
      .select('devices.id')
      .where(isOneOf('devices.id', deviceIds))
      .where(visibleDevices(caller))
      .execute()
    const known = new Set(seen.map(({ id }) => id))
    const unknown = deviceIds.findIndex((id) => !known.has(id))
    if (unknown >= 0) throw invalid(`deviceIds.${unknown}: ${deviceIds[unknown]} does not exist`)
  }
  const among = deviceIds === undefined ? always : isOneOf('devices.id', deviceIds)
  const { rows } = await sql<{ id: string }>`SELECT devices.id FROM target_sets t
    CROSS JOIN LATERAL devices_of_targets(t) devices
    WHERE t.id = ${targetSetId}::uuid AND ${among} AND ${visibleDevices(caller)}`.execute(db)
  return rows.map(({ id }) => id)
}

const evaluatedAtOnce = 1_000

export default implement(contract, {
  async stats({ caller, db, input: { orgId } }) {
    const visible = allOf(visibleDevices(caller), ofOrganization('devices.orgId', orgId))
    const counts = await countsByOrganization(db, visible)
    const organizations = await db
      .selectFrom('organizations')
      .select(['id', 'name'])
      .where(isOneOf('id', [...counts.keys()]))
      .where(within(caller, 'id', 'partnerId'))
      .orderBy('name')
      .orderBy('id')
      .execute()
    const byOrganization = organizations.map(({ id, name }) => {
      const its = counts.get(id) ?? noCounts
      return { orgId: id, name, ...its, compliancePercent: percentOf(its) }
    })
    const totals = sumOf(byOrganization)
    return { totals, compliancePercent: percentOf(totals), byOrganization }
  },

  async summary({ caller, db, input: { orgId } }) {
    requireWholeOrganization(caller)
    const policies = await selectPolicies(db, caller)
      .select(['devicePolicies.id', 'devicePolicies.name', 'devicePolicies.orgId', 'devicePolicies.mode'])
      .where('devicePolicies.status', '=', 'active')
      .where(orgId === undefined ? always : isNullOr('devicePolicies.orgId', orgId))
      .orderBy('devicePolicies.name')
      .orderBy('devicePolicies.id')
      .execute()
    const visible = allOf(visibleDevices(caller), ofOrganization('devices.orgId', orgId))
    const [counts, trend] = await Promise.all([
      countsByPolicy(
        db,
        policies.map(({ id }) => id),
        visible,
      ),
      trendOf(db, allOf(within(caller, 'days.orgId', 'days.partnerId'), ofOrganization('days.orgId', orgId))),
    ])
    return {
      policies: policies.map((policy) => {
        const its = counts.get(policy.id) ?? noCounts
        return { ...policy, counts: its, compliancePercent: percentOf(its) }
      }),
      trend: trend.map((day) => ({ ...day, compliancePercent: percentOf(day) })),
    }
  },

  async list(call) {
    const { caller, db, input } = call
    const { id } = await storedPolicyById(call, input.id)
    const { search, status, orgId } = input
    const where = allOf(
      visibleDevices(caller),
      ofOrganization('devices.orgId', orgId),
      search === undefined ? always : sql<SqlBool>`strpos(lower(devices.hostname), lower(${search}::text)) > 0`,
    )
    const rows =
      status === undefined
        ? pairsOf(id, where)
        : sql<PairRow>`${pairsOf(id, allOf(where, mayHave(status)))} WHERE ${isOneOf('pairs.status', status)}`
    const { data, pagination } = await pagedSql(db, { rows, orderBy: sql`hostname, device_id` }, input)
    return {
      data: data.map(({ findings, ...row }) => ({ ...row, failed: failedOf(findings) })),
      pagination,
    }
  },

  async transitions(call) {
    const { caller, db, input } = call
    const { id } = await storedPolicyById(call, input.id)
    const rows = sql<{
      id: string
      deviceId: string
      hostname: string
      at: string
      before: string
      after: string
      findings: Finding[]
    }>`SELECT t.id, t.device_id, devices.hostname, t.at, t.before, t.after, t.findings
      FROM device_policy_transitions t JOIN devices ON devices.id = t.device_id
      WHERE t.policy_id = ${id}::uuid AND ${visibleDevices(caller)} AND ${within(caller, 't.orgId', 't.partnerId')}
        AND ${input.deviceId === undefined ? always : equals('t.deviceId', input.deviceId)}`
    const { data, pagination } = await pagedSql(db, { rows, orderBy: sql`at DESC, id` }, input)
    return {
      data: data.map(({ findings, before, after, ...row }) => ({
        ...row,
        before: Status.parse(before),
        after: Status.parse(after),
        failed: failedOf(findings),
      })),
      pagination,
    }
  },

  async evaluate(call) {
    const { db, input, services } = call
    const policy = await changeablePolicy(call, input.id)
    if (policy.status !== 'active') throw conflict('The policy is not active')
    const ids = await devicesToEvaluate(call, policy.targetSetId, input.deviceIds)
    if (ids.length > evaluatedAtOnce) {
      await asSystem(services.system, (system) => queueDevices(system, ids))
      return { queued: true as const, devices: ids.length }
    }
    // Results are written by the system alone.
    const changed = new Map(ids.map((id) => [id, new Set(['all'])]))
    const events = await asSystem(services.system, (system) => evaluateDevices(system, changed, new PolicyBooks()))
    await publishEvents(services.redis, events)
    const { rows } = await sql<{ status: ComplianceStatus; count: number }>`
      SELECT status, count(*)::float8 AS count FROM (${pairsOf(policy.id, isOneOf('devices.id', ids))}) found GROUP BY 1`.execute(
      db,
    )
    const of = (status: ComplianceStatus) => rows.find((row) => row.status === status)?.count ?? 0
    return {
      evaluated: ids.length,
      ...{ compliant: of('compliant'), nonCompliant: of('non_compliant'), pending: of('pending'), error: of('error') },
    }
  },
})
