// The facts that the policies of devices need, and what the devices answered.
import type { Db } from '@muster/db/database.ts'
import type { Fact } from '@muster/wire/facts/facts.ts'
import { assignFacts, factKey, factsOf } from '../../../control/facts/index.ts'
import type { PlacedDevice } from '../resolve/assigned.rules.ts'
import { type FactAnswer, factOf, isFactRule } from '../rules/fact-rules.rules.ts'
import type { Rule } from '../rules/rules.contract.ts'
import type { Plan } from './plan.ts'

/** Rules are shared by all devices of a policy. */
const keys = new WeakMap<Rule, string | null>()

function keyOf(rule: Rule): string | null {
  const known = keys.get(rule)
  if (known !== undefined) return known
  const key = isFactRule(rule) ? factKey(factOf(rule)) : null
  keys.set(rule, key)
  return key
}

interface Answers {
  /** Null for a fact that the device did not answer yet, and for a rule about something else. */
  about(deviceId: string, rule: Rule): FactAnswer | null
}

/** @param rules those about which the answers are needed */
export async function answersOf(db: Db, deviceIds: readonly string[], rules: readonly Rule[]): Promise<Answers> {
  const wanted = [...new Set(rules.flatMap((rule) => keyOf(rule) ?? []))]
  const known = deviceIds.length === 0 || wanted.length === 0 ? [] : await factsOf(db, deviceIds, wanted)
  const answers = new Map(known.map((fact) => [`${fact.deviceId} ${fact.key}`, fact]))
  return {
    about(deviceId, rule) {
      const key = keyOf(rule)
      return key === null ? null : (answers.get(`${deviceId} ${key}`) ?? null)
    },
  }
}

/** Of all rules in effect. Devices with the same plan share the list. */
const factsOfPlans = new WeakMap<Plan, readonly Fact[]>()

function factsOfPlan(plan: Plan): readonly Fact[] {
  const known =
    factsOfPlans.get(plan) ?? [...plan.applied.values()].flatMap(({ rules }) => rules.filter(isFactRule).map(factOf))
  factsOfPlans.set(plan, known)
  return known
}

/** Has devices watch the facts of all of their rules in effect. */
export async function assignFactsTo(
  db: Db,
  devices: readonly { readonly device: PlacedDevice; readonly plan: Plan }[],
): Promise<void> {
  await assignFacts(
    db,
    devices.map(({ device, plan }) => ({ deviceId: device.id, facts: factsOfPlan(plan) })),
  )
}
