import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Rule } from '../rules/rules.contract.ts'
import { type AppliedPolicy, effectiveRules, effectiveSettings } from './effective.rules.ts'
import { Level } from './levels.contract.ts'

const rule = (key: string, more: { locked?: boolean; min?: string } = {}): Rule => ({
  ...{ key, type: 'os.version', severity: 'medium', message: null, remediation: null },
  ...{ locked: more.locked ?? false, min: more.min ?? '1' },
})
const policy = (id: string, level: Level, rules: Rule[], more: Partial<AppliedPolicy> = {}): AppliedPolicy => ({
  ...{ id, level, rules, settings: {}, priority: 100, createdAt: '2026-01-01T00:00:00Z' },
  ...more,
})
const held = (policies: readonly AppliedPolicy[]) =>
  effectiveRules(policies).map(({ policy: { id }, rule: { key }, why, overrode }) => ({
    ...{ id, key, why },
    overrode: overrode.map((each) => each.policy.id),
  }))

/** The rule of the issue, step by step: from far to near each policy replaces what is there, unless it is locked. */
function naive(policies: readonly AppliedPolicy[]): Map<string, string> {
  const order = ['partner', 'organization', 'site', 'group', 'device']
  const left = [...policies]
  const inEffect = new Map<string, { id: string; locked: boolean }>()
  while (left.length > 0) {
    let furthest = 0
    for (const [index, candidate] of left.entries()) {
      const best = left[furthest]
      if (best === undefined) continue
      const [level, bestLevel] = [order.indexOf(candidate.level), order.indexOf(best.level)]
      const isFurther =
        level < bestLevel ||
        (level === bestLevel &&
          (candidate.priority < best.priority ||
            (candidate.priority === best.priority && candidate.createdAt > best.createdAt)))
      if (isFurther) furthest = index
    }
    const [next] = left.splice(furthest, 1)
    for (const each of next?.rules ?? [])
      if (inEffect.get(each.key)?.locked !== true) inEffect.set(each.key, { id: next?.id ?? '', locked: each.locked })
  }
  return new Map([...inEffect].map(([key, { id }]) => [key, id]))
}

describe('policy-precedence', () => {
  it.each(Level.options.slice(1).map((far, index) => ({ near: Level.options[index] ?? 'device', far })))(
    'lets $near precede $far',
    ({ near, far }) => {
      const both = [policy('far', far, [rule('a')]), policy('near', near, [rule('a')])]
      expect(held(both)).toEqual([{ id: 'near', key: 'a', why: 'nearer', overrode: ['far'] }])
    },
  )

  it('adds up rules with different keys', () => {
    const all = held([policy('p', 'partner', [rule('a')]), policy('d', 'device', [rule('b')])])
    expect(all.map(({ id, key, why }) => [id, key, why])).toEqual([
      ['d', 'b', 'only'],
      ['p', 'a', 'only'],
    ])
  })

  it('prefers the greater priority within a level, then the older policy', () => {
    const [low, high] = [
      policy('low', 'site', [rule('a')], { priority: 1 }),
      policy('high', 'site', [rule('a')], { priority: 2 }),
    ]
    expect(held([low, high])).toMatchObject([{ id: 'high', why: 'priority' }])
    const young = policy('young', 'site', [rule('a')], { priority: 2, createdAt: '2026-02-01T00:00:00Z' })
    expect(held([low, young, high])).toEqual([{ id: 'high', key: 'a', why: 'older', overrode: ['young', 'low'] }])
  })

  it('lets no nearer policy replace a rule that is locked above', () => {
    const all = [
      policy('device', 'device', [rule('a', { locked: true })]),
      policy('site', 'site', [rule('a', { locked: true })]),
      policy('partner', 'partner', [rule('a')]),
    ]
    expect(held(all)).toEqual([{ id: 'site', key: 'a', why: 'locked', overrode: ['device', 'partner'] }])
  })

  it('takes each setting from the nearest policy that makes it', () => {
    const all = effectiveSettings([
      policy('partner', 'partner', [], { settings: { 'agent.heartbeatSeconds': 30, 'scripts.allowed': false } }),
      policy('site', 'site', [], { settings: { 'agent.heartbeatSeconds': 10 } }),
    ])
    expect(
      all.map(({ policy: { id }, item, why, overrode }) => [id, item.key, item.value, why, overrode.length]),
    ).toEqual([
      ['site', 'agent.heartbeatSeconds', 10, 'nearer', 1],
      ['partner', 'scripts.allowed', false, 'only', 0],
    ])
  })

  it('decides as the naive reading of the rules does, in any order of the policies', () => {
    const policies = fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        level: fc.constantFrom(...Level.options),
        priority: fc.integer({ min: 0, max: 3 }),
        rules: fc.uniqueArray(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), locked: fc.boolean() }), {
          selector: ({ key }) => key,
          maxLength: 4,
        }),
      }),
      { selector: ({ id }) => id, maxLength: 12 },
    )
    fc.assert(
      fc.property(policies, fc.integer(), (given, seed) => {
        const made = given.map(({ rules, ...each }, index) => ({
          ...each,
          settings: { 'agent.autoUpdate': each.id < '8', 'scripts.allowed': each.priority > 1 },
          createdAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
          rules: rules.map(({ key, locked }) => rule(key, { locked })),
        }))
        const shuffled = made.toSorted((a, b) => ((seed ^ a.id.charCodeAt(0)) % 7) - ((seed ^ b.id.charCodeAt(0)) % 7))
        const ours = new Map(effectiveRules(shuffled).map(({ policy: { id }, rule: { key } }) => [key, id]))
        expect(new Map([...ours].sort())).toEqual(new Map([...naive(made)].sort()))
        const first = naive(made.map((each) => ({ ...each, rules: [rule('setting')] }))).get('setting')
        for (const { policy, item, overrode } of effectiveSettings(shuffled)) {
          const given = Object.entries(policy.settings).find(([key]) => key === item.key)?.[1]
          expect([policy.id, item.value, overrode.length]).toEqual([first, given, made.length - 1])
        }
        for (const {
          overrode,
          rule: { key },
        } of effectiveRules(shuffled))
          expect(overrode.length).toBe(made.filter(({ rules }) => rules.some((each) => each.key === key)).length - 1)
      }),
      { numRuns: 500 },
    )
  })
})
