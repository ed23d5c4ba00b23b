// Which rules and settings of which policies are in effect on a device. The one place where precedence is decided.
import type { Why } from '../devices/devices.contract.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { SettingName, type Settings } from '../settings/settings.contract.ts'
import { Level } from './levels.contract.ts'

/** A policy that applies to a device, and the nearest level at which it is assigned. */
export interface AppliedPolicy {
  readonly id: string
  readonly level: Level
  readonly priority: number
  readonly createdAt: string
  readonly rules: readonly Rule[]
  readonly settings: Settings
}

interface OfPolicy<Policy, Item> {
  readonly policy: Policy
  readonly item: Item
}

/** What policies say about one key, and which of them holds. */
interface InEffect<Policy, Item> extends OfPolicy<Policy, Item> {
  readonly why: Why
  /** The others with the same key, the nearest first. */
  readonly overrode: readonly OfPolicy<Policy, Item>[]
}

export interface EffectiveRule<Policy extends AppliedPolicy = AppliedPolicy> extends InEffect<Policy, Rule> {
  readonly rule: Rule
}

export interface SettingItem {
  readonly key: SettingName
  readonly value: boolean | number
}

const rank = (level: Level): number => Level.options.indexOf(level)
type Placed = Omit<AppliedPolicy, 'rules' | 'settings'>

/** Negative if the first policy precedes: the nearer one, then the one of the greater priority, then the older one. */
export function inPrecedence(a: Placed, b: Placed): number {
  if (a.level !== b.level) return rank(a.level) - rank(b.level)
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** Of several items with one key the locked one that is furthest above holds, else the first in precedence. */
function inEffect<Policy extends AppliedPolicy, Item extends { readonly key: string; readonly locked?: boolean }>(
  policies: readonly Policy[],
  itemsOf: (policy: Policy) => readonly Item[],
): InEffect<Policy, Item>[] {
  const all = policies
    .toSorted(inPrecedence)
    .flatMap((policy) => itemsOf(policy).map((item): OfPolicy<Policy, Item> => ({ policy, item })))
  return [...Map.groupBy(all, ({ item }) => item.key).values()].flatMap((same) => {
    const held = same.findLast(({ item }) => item.locked === true) ?? same[0]
    if (held === undefined) return []
    const overrode = same.filter((each) => each !== held)
    return [{ ...held, why: whyOf(held.policy, same[0] === held, overrode[0]?.policy), overrode }]
  })
}

/** Rules add up, by their keys. */
export const effectiveRules = <Policy extends AppliedPolicy>(policies: readonly Policy[]): EffectiveRule<Policy>[] =>
  inEffect(policies, ({ rules }) => rules).map((each) => ({ ...each, rule: each.item }))

/** Each setting has the value of the first policy in precedence that makes it. */
export const effectiveSettings = <Policy extends AppliedPolicy>(
  policies: readonly Policy[],
): InEffect<Policy, SettingItem>[] => inEffect(policies, ({ settings }) => itemsOf(settings))

const itemsOf = (settings: Settings): SettingItem[] =>
  SettingName.options.flatMap((key) => {
    const value = settings[key]
    return value === undefined ? [] : [{ key, value }]
  })

/** @param next the nearest policy with the key that is not in effect */
function whyOf(held: AppliedPolicy, isFirst: boolean, next: AppliedPolicy | undefined): Why {
  if (next === undefined) return 'only'
  if (!isFirst) return 'locked'
  if (held.level !== next.level) return 'nearer'
  return held.priority === next.priority ? 'older' : 'priority'
}
