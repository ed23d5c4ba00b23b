// Which rules of which policies are in effect on a device. The one place where precedence is decided.
import type { Why } from '../devices/devices.contract.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { Level } from './levels.contract.ts'

/** A policy that applies to a device, and the nearest level at which it is assigned. */
export interface AppliedPolicy {
  readonly id: string
  readonly level: Level
  readonly priority: number
  readonly createdAt: string
  readonly rules: readonly Rule[]
}

interface RuleOfPolicy<Policy extends AppliedPolicy> {
  readonly policy: Policy
  readonly rule: Rule
}

export interface EffectiveRule<Policy extends AppliedPolicy = AppliedPolicy> extends RuleOfPolicy<Policy> {
  readonly why: Why
  /** The rules with the same key that are not in effect, the nearest first. */
  readonly overrode: readonly RuleOfPolicy<Policy>[]
}

const rank = (level: Level): number => Level.options.indexOf(level)

/** Negative if the first policy precedes: the nearer one, then the one of the greater priority, then the older one. */
export function inPrecedence(a: Omit<AppliedPolicy, 'rules'>, b: Omit<AppliedPolicy, 'rules'>): number {
  if (a.level !== b.level) return rank(a.level) - rank(b.level)
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** Rules add up. Of several with one key the locked one that is furthest above holds, else the first in precedence. */
export function effectiveRules<Policy extends AppliedPolicy>(policies: readonly Policy[]): EffectiveRule<Policy>[] {
  const byKey = new Map<string, RuleOfPolicy<Policy>[]>()
  for (const policy of policies.toSorted(inPrecedence))
    for (const rule of policy.rules) {
      const same = byKey.get(rule.key)
      if (same === undefined) byKey.set(rule.key, [{ policy, rule }])
      else same.push({ policy, rule })
    }
  return [...byKey.values()].flatMap((same) => {
    const held = same.findLast(({ rule }) => rule.locked) ?? same[0]
    if (held === undefined) return []
    const overrode = same.filter((each) => each !== held)
    return [{ ...held, why: whyOf(held.policy, same[0] === held, overrode[0]?.policy), overrode }]
  })
}

/** @param next the nearest policy with the key that is not in effect */
function whyOf(held: AppliedPolicy, isFirst: boolean, next: AppliedPolicy | undefined): Why {
  if (next === undefined) return 'only'
  if (!isFirst) return 'locked'
  if (held.level !== next.level) return 'nearer'
  return held.priority === next.priority ? 'older' : 'priority'
}
