import { isOneOf } from '@muster/db/conditions.ts'
import { asSystem } from '@muster/db/database.ts'
import { conflict, invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { deployAtOnce } from '../../deployments/index.ts'
import { changeablePolicy, policyById, type StoredPolicy } from '../policies.queries.ts'
import { pauseMs } from './attempts.rules.ts'
import { remediation as contract } from './remediation.contract.ts'
import { violations } from './violations.queries.ts'

interface Violation {
  readonly deviceId: string
  readonly ruleKey: string
}

/** The rules that visible devices do not keep. */
async function violationsOf(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  policyId: string,
  deviceIds: readonly string[] | undefined,
): Promise<readonly Violation[]> {
  const { rows } = await sql<Violation>`SELECT v.device_id, v.rule_key
    FROM (${violations(sql`p.id = ${policyId}::uuid`)}) v JOIN devices ON devices.id = v.device_id
    WHERE ${visibleDevices(caller)} AND (${deviceIds === undefined} OR v.device_id = ANY (${[...(deviceIds ?? [])]}::uuid[]))
    ORDER BY v.device_id, v.rule_key`.execute(db)
  return rows
}

/** @throws VALIDATION_ERROR for a device that the caller does not see */
async function requireVisible({ db, caller }: Pick<Call, 'db' | 'caller'>, deviceIds: readonly string[]) {
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

/** A few devices get it at once, many in batches. */
const strategyFor = (devices: number) =>
  devices > 20 ? {} : { batches: [{ percent: 100 }], soakSeconds: 0, maxErrors: { percent: 100 }, successPercent: 0 }

/** The policy goes on by itself after the deployments. They are the first try. */
async function release(
  { services }: Pick<Call, 'services'>,
  { id, revision }: StoredPolicy,
  deployed: ReadonlyMap<string, { readonly deploymentId: string; readonly deviceIds: readonly string[] }>,
): Promise<void> {
  const next = new Date(services.clock.now() + pauseMs(1)).toISOString()
  await asSystem(services.system, async (db) => {
    for (const [ruleKey, { deploymentId, deviceIds }] of deployed)
      await sql`INSERT INTO device_policy_remediations AS m
          (policy_id, device_id, rule_key, org_id, partner_id, revision, state, attempts, next_at, deployment_id)
        SELECT ${id}::uuid, d.id, ${ruleKey}, d.org_id, d.partner_id, ${revision}, 'running', 1, ${next}::timestamptz, ${deploymentId}::uuid
        FROM devices d WHERE d.id = ANY (${[...deviceIds]}::uuid[])
          AND EXISTS (SELECT FROM device_policy_enforcements e WHERE e.policy_id = ${id}::uuid)
        ON CONFLICT (policy_id, device_id, rule_key) DO UPDATE SET state = 'running', attempts = 1, reason = NULL,
          next_at = excluded.next_at, deployment_id = excluded.deployment_id, run_id = gen_random_uuid()`.execute(db)
    await sql`UPDATE device_policy_enforcements SET held = NULL, released_at = now()
      WHERE policy_id = ${id}::uuid AND held = 'mass_change'`.execute(db)
  })
}

export default implement(contract, {
  async remediate(call) {
    const { input, audit, afterCommit } = call
    const { deviceIds, dryRun } = input
    const stored = await changeablePolicy(call, input.id)
    if (stored.status !== 'active') throw conflict('The policy is not active')
    const policy = await policyById(call, stored.id)
    const able = new Set(policy.rules.flatMap(({ key, remediation }) => (remediation === null ? [] : [key])))
    if (able.size === 0) throw conflict('No rule of the policy has a remediation')
    if (deviceIds !== undefined) await requireVisible(call, deviceIds)
    const found = await violationsOf(call, policy.id, deviceIds)
    const byRule = Map.groupBy(
      found.filter(({ ruleKey }) => able.has(ruleKey)),
      ({ ruleKey }) => ruleKey,
    )
    const repaired = new Set([...byRule.values()].flat().map(({ deviceId }) => deviceId))
    const violating = new Set(found.map(({ deviceId }) => deviceId))
    const asked = [...new Set([...(deviceIds ?? []), ...violating])]
    const skipped = asked.flatMap((deviceId) =>
      repaired.has(deviceId)
        ? []
        : [{ deviceId, reason: violating.has(deviceId) ? ('no_remediation' as const) : ('compliant' as const) }],
    )
    const deployed = new Map<string, { deploymentId: string; deviceIds: readonly string[] }>()
    let approval: Awaited<ReturnType<typeof deployAtOnce>>['approval'] = null
    for (const [ruleKey, of] of dryRun ? [] : byRule) {
      const ids = of.map(({ deviceId }) => deviceId)
      const made = await deployAtOnce(
        call,
        {
          ...{ orgId: policy.orgId, partnerId: policy.partnerId, name: `${policy.name}: ${ruleKey}`.slice(0, 255) },
          description: null,
          order: { kind: 'policy', policyId: policy.id, ruleKey },
          ...{ targets: { deviceIds: ids }, exclude: {}, strategy: strategyFor(ids.length) },
          ...{ startAt: null, deadlineAt: null },
        },
        ['settings:write'],
      )
      deployed.set(ruleKey, { deploymentId: made.id, deviceIds: ids })
      approval ??= made.approval
    }
    const deploymentIds = [...deployed.values()].map(({ deploymentId }) => deploymentId)
    if (deploymentIds.length > 0) {
      const { id: target, name, orgId, partnerId } = policy
      audit({
        ...{ action: 'policy.remediate', target, name, orgId, partnerId },
        details: { deploymentIds, devices: repaired.size },
      })
      // Workers write how repairs stand, after the deployments exist.
      const waits = approval !== null
      afterCommit(() => (waits ? Promise.resolve() : release(call, stored, deployed)))
    }
    return { deploymentId: deploymentIds[0] ?? null, deploymentIds, devices: repaired.size, skipped, approval }
  },
})
