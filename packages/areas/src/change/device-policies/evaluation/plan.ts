// What devices with the same policies have in common: the rules in effect, by policy. It is made once for all of them.
import { createHash } from 'node:crypto'
import { type AssignedPolicy, levelOf, type PlacedDevice, skippedBy } from '../resolve/assigned.rules.ts'
import { type AppliedPolicy, effectiveRules, effectiveSettings } from '../resolve/effective.rules.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { Settings } from '../settings/settings.contract.ts'

/** An active policy. */
export interface ActivePolicy extends AssignedPolicy, Omit<AppliedPolicy, 'level'> {
  readonly name: string
  readonly mode: 'monitor' | 'warn' | 'enforce'
  /** The followed filters of its rules, by key. */
  readonly ruleFilters: ReadonlyMap<string, string>
}

export interface PlannedPolicy {
  readonly policy: ActivePolicy
  /** Those in effect; at least one, unless a setting is. */
  readonly rules: readonly Rule[]
  /** Changes when the results of the policy can. */
  readonly effect: string
}

export interface Plan {
  readonly hash: string
  readonly applied: ReadonlyMap<string, PlannedPolicy>
  /** Policies that are assigned, but do not apply or have neither a rule nor a setting in effect. */
  readonly skipped: readonly string[]
  /** Those in effect. */
  readonly settings: Settings
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')

type Hasher = (policy: ActivePolicy, rules: readonly Rule[]) => string

/** Hashes each combination of rules of a policy once: in most plans all of them are in effect. */
function effectHasher(): Hasher {
  const known = new Map<string, string>()
  return (policy, rules) => {
    const key = `${policy.id} ${rules.length === policy.rules.length ? 'all' : rules.map(({ key }) => key).join(' ')}`
    const hash = known.get(key) ?? hashOf([policy.mode, rules])
    known.set(key, hash)
    return hash
  }
}

function planOf(policies: readonly ActivePolicy[], device: PlacedDevice, effectOf: Hasher): Plan {
  const assigned = policies.flatMap((policy) => {
    const level = levelOf(policy, device)
    return level === null ? [] : [{ ...policy, level, isSkipped: skippedBy(policy, device) !== null, source: policy }]
  })
  const applying = assigned.filter(({ isSkipped }) => !isSkipped)
  const inEffect = Map.groupBy(effectiveRules(applying), ({ policy }) => policy.id)
  const settings = effectiveSettings(applying).map(({ policy, item: { key, value } }) => ({
    id: policy.id,
    key,
    value,
  }))
  const applied = new Map<string, PlannedPolicy>()
  for (const { id, source: policy } of assigned) {
    const rules = (inEffect.get(id) ?? []).map(({ rule }) => rule)
    const own = settings.flatMap((each) => (each.id === id ? [[each.key, each.value]] : []))
    if (rules.length + own.length === 0) continue
    const effect = effectOf(policy, rules)
    applied.set(id, { policy, rules, effect: own.length === 0 ? effect : hashOf([effect, own]) })
  }
  const skipped = assigned.map(({ id }) => id).filter((id) => !applied.has(id))
  const effects = [...applied].map(([id, { effect }]) => [id, effect])
  return {
    ...{ applied, skipped, hash: hashOf([effects.sort(), skipped.toSorted()]) },
    settings: Settings.parse(Object.fromEntries(settings.map(({ key, value }) => [key, value]))),
  }
}

/** The active policies of a partner, with the plans that were made of them. */
export class PolicyBook {
  readonly #policies: readonly ActivePolicy[]
  readonly #plans = new Map<string, Plan>()
  readonly #effectOf = effectHasher()
  readonly #orgIds: ReadonlySet<string>
  readonly #siteIds: ReadonlySet<string>
  readonly #deviceIds: ReadonlySet<string>
  readonly #groupIds: ReadonlySet<string>
  readonly #filterSetIds: ReadonlySet<string>

  constructor(policies: readonly ActivePolicy[]) {
    this.#policies = policies
    const named = (kind: 'orgIds' | 'siteIds' | 'deviceIds' | 'groupIds') =>
      new Set(policies.flatMap(({ assigned, excluded }) => [...assigned[kind], ...excluded[kind]]))
    this.#orgIds = new Set([...policies.flatMap(({ orgId }) => orgId ?? []), ...named('orgIds')])
    this.#siteIds = named('siteIds')
    this.#deviceIds = named('deviceIds')
    this.#groupIds = named('groupIds')
    this.#filterSetIds = new Set(policies.flatMap(({ filterSetId }) => filterSetId ?? []))
  }

  /** Places that no policy names make no difference. */
  planFor(device: PlacedDevice): Plan {
    const key = JSON.stringify([
      device.lifecycle === 'decommissioned',
      this.#orgIds.has(device.orgId) ? device.orgId : null,
      device.siteId !== null && this.#siteIds.has(device.siteId) ? device.siteId : null,
      device.osType,
      device.groupIds.filter((id) => this.#groupIds.has(id)).toSorted(),
      device.filterSetIds.filter((id) => this.#filterSetIds.has(id)).toSorted(),
      this.#deviceIds.has(device.id) ? device.id : null,
    ])
    const known = this.#plans.get(key) ?? planOf(this.#policies, device, this.#effectOf)
    this.#plans.set(key, known)
    return known
  }
}

/** The plan of devices whose partner has no active policy. */
export const noPlan = new PolicyBook([])
