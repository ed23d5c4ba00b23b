import { sql } from 'kysely'
import { deviceById } from '../../../fleet/devices/index.ts'
import { shownFilters } from '../../../fleet/targets/index.ts'
import { type Call, implement } from '../../../operation.ts'
import type { ComplianceStatus } from '../compliance/counts.contract.ts'
import { failedOf } from '../compliance/failed.ts'
import { activePolicies } from '../evaluation/active-policies.queries.ts'
import { placedDevices } from '../evaluation/devices.queries.ts'
import type { Finding } from '../evaluation/pairs.rules.ts'
import { levelOf, skippedBy } from '../resolve/assigned.rules.ts'
import { effectiveRules, effectiveSettings, inPrecedence } from '../resolve/effective.rules.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { devicePolicies as contract } from './devices.contract.ts'

interface Stored {
  readonly evaluatedAt: string
  readonly applied: readonly string[]
  readonly skipped: readonly string[]
  readonly results: Readonly<Record<string, { readonly status: ComplianceStatus; readonly findings: Finding[] }>>
}

/** What the last evaluation of the device found; undefined before the first one. */
async function storedOf({ db }: Pick<Call, 'db'>, deviceId: string): Promise<Stored | undefined> {
  const { rows } = await sql<Stored>`SELECT s.evaluated_at, e.applied, e.skipped,
      (SELECT coalesce(jsonb_object_agg(r.policy_id, jsonb_build_object('status', r.status, 'findings', r.findings)), '{}')
       FROM device_policy_results r WHERE r.device_id = s.device_id) AS results
    FROM device_policy_states s JOIN device_policy_sets e ON e.id = s.set_id
    WHERE s.device_id = ${deviceId}::uuid`.execute(db)
  return rows[0]
}

function statusIn(stored: Stored | undefined, policyId: string): ComplianceStatus | null {
  if (stored === undefined) return null
  if (stored.applied.includes(policyId)) return stored.results[policyId]?.status ?? 'compliant'
  return stored.skipped.includes(policyId) ? 'not_applicable' : null
}

const findingsIn = (stored: Stored | undefined, policyId: string): readonly Finding[] =>
  stored?.applied.includes(policyId) ? (stored.results[policyId]?.findings ?? []) : []

/** The rule without ids of places in its filter that the caller does not see. */
async function shownRule({ db, caller }: Pick<Call, 'db' | 'caller'>, rule: Rule): Promise<Rule> {
  if (rule.type !== 'filter') return rule
  const [filter = rule.filter] = await shownFilters(db, caller, [rule.filter])
  return { ...rule, filter }
}

export default implement(contract, {
  async get(call) {
    const { caller, db, services } = call
    const { id } = await deviceById(db, caller, call.input.id, services.clock.now())
    const [device] = await placedDevices(db, [id])
    const stored = await storedOf(call, id)
    const active = device === undefined ? [] : await activePolicies(db, [device.partnerId])
    const assigned = active
      .flatMap((policy) => {
        const level = device === undefined ? null : levelOf(policy, device)
        if (device === undefined || level === null) return []
        return [{ ...policy, level, skipped: skippedBy(policy, device) }]
      })
      .toSorted(inPrecedence)
    const fromOf = ({ id: policyId, name, level }: (typeof assigned)[number]) => ({ policyId, name, level })
    const applying = assigned.filter(({ skipped }) => skipped === null)
    return {
      deviceId: id,
      evaluatedAt: stored?.evaluatedAt ?? null,
      policies: assigned.map((policy) => {
        const { priority, mode, skipped } = policy
        const status = statusIn(stored, policy.id)
        return { ...fromOf(policy), priority, mode, skipped, status, failed: failedOf(findingsIn(stored, policy.id)) }
      }),
      rules: await Promise.all(
        effectiveRules(applying).map(async ({ policy, rule, why, overrode }) => ({
          ...fromOf(policy),
          key: rule.key,
          value: await shownRule(call, rule),
          why,
          overrode: await Promise.all(
            overrode.map(async (each) => ({ ...fromOf(each.policy), value: await shownRule(call, each.item) })),
          ),
        })),
      ),
      settings: effectiveSettings(applying).map(({ policy, item: { key, value }, why, overrode }) => ({
        ...{ ...fromOf(policy), key, value, why },
        overrode: overrode.map((each) => ({ ...fromOf(each.policy), value: each.item.value })),
      })),
    }
  },
})
