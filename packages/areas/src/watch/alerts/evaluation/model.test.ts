// The engine against a naive model, which evaluates all samples again for each decision.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MetricCondition, MetricTree } from '../rules/conditions.contract.ts'
import { compileRules, type MetricRule } from './compile.ts'
import { firing, nextPhase, normal, phaseNames, truthOf } from './evaluate.ts'
import { storedMs } from './rule-sets.ts'
import { createValues, takeSample } from './sample.ts'
import { watch } from './watched.ts'

interface Sample {
  readonly atMs: number
  readonly cpuPercent: number | null
  readonly networkRxBytes: number | null
}

type Truth = boolean | 'unknown'

const figure = fc.option(fc.integer({ min: 0, max: 10 }), { freq: 8 })
const samples = fc
  .array(fc.record({ stepMs: fc.integer({ min: 1_000, max: 90_000 }), cpuPercent: figure, networkRxBytes: figure }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((list) => {
    let atMs = 1_000_000
    return list.map(({ stepMs, ...sample }): Sample => {
      atMs += stepMs
      return { ...sample, atMs }
    })
  })

const condition: fc.Arbitrary<MetricCondition> = fc
  .record({
    metric: fc.constantFrom('cpuPercent' as const, 'networkRxPerSecond' as const),
    operator: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
    threshold: fc.integer({ min: 0, max: 10 }),
    gap: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
    aggregate: fc.constantFrom('last' as const, 'avg' as const, 'min' as const, 'max' as const),
    window: fc.option(fc.integer({ min: 10, max: 300 }), { nil: undefined }),
  })
  .map(({ gap, window, aggregate, ...leaf }) => {
    const isRising = leaf.operator.startsWith('g')
    return {
      kind: 'metric',
      ...leaf,
      ...(gap === undefined ? {} : { clearThreshold: isRising ? leaf.threshold - gap : leaf.threshold + gap }),
      ...(window === undefined ? { aggregate: 'last' as const } : { aggregate, windowSeconds: window }),
    }
  })
const tree: fc.Arbitrary<MetricTree> = fc.letrec<{ node: MetricTree }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2 },
    condition,
    fc.record({ all: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
  ),
})).node
const rule: fc.Arbitrary<MetricRule> = fc.record({
  id: fc.constant('rule'),
  version: fc.constant(1),
  conditions: tree,
  forSeconds: fc.constantFrom(0, 0, 30, 120),
  clearForSeconds: fc.constantFrom(0, 0, 30, 120),
})

/** The value of a metric at a sample, from all samples up to it. */
function metricAt(metric: MetricCondition['metric'], until: readonly Sample[]): number | null {
  const now = until.at(-1)
  if (now === undefined) return null
  if (metric === 'cpuPercent') return now.cpuPercent
  const before = until.at(-2)
  if (before?.networkRxBytes == null || now.networkRxBytes === null) return null
  if (now.networkRxBytes < before.networkRxBytes) return null
  return (now.networkRxBytes - before.networkRxBytes) / ((now.atMs - before.atMs) / 1_000)
}

function leafHolds(leaf: MetricCondition, until: readonly Sample[], isFiring: boolean): Truth {
  const now = until.at(-1)?.atMs ?? 0
  let value = metricAt(leaf.metric, until)
  if (leaf.windowSeconds !== undefined) {
    const begin = now - leaf.windowSeconds * 1_000
    if ((until[0]?.atMs ?? now) > begin) return 'unknown'
    const inside = until.flatMap((sample, index) =>
      sample.atMs > begin ? (metricAt(leaf.metric, until.slice(0, index + 1)) ?? []) : [],
    )
    const sum = inside.reduce((total, each) => total + each, 0)
    if (inside.length === 0) value = null
    else if (leaf.aggregate === 'avg') value = sum / inside.length
    else if (leaf.aggregate === 'min') value = Math.min(...inside)
    else if (leaf.aggregate === 'max') value = Math.max(...inside)
    else value = inside.at(-1) ?? null
  }
  if (value === null) return 'unknown'
  const clear = leaf.clearThreshold
  if (isFiring && clear !== undefined && clear !== leaf.threshold)
    return leaf.operator.startsWith('g') ? value > clear : value < clear
  switch (leaf.operator) {
    case 'gt':
      return value > leaf.threshold
    case 'gte':
      return value >= leaf.threshold
    case 'lt':
      return value < leaf.threshold
    case 'lte':
      return value <= leaf.threshold
  }
}

function holds(node: MetricTree, until: readonly Sample[], isFiring: boolean): Truth {
  if ('all' in node) {
    const parts = node.all.map((part) => holds(part, until, isFiring))
    return parts.includes(false) ? false : parts.includes('unknown') ? 'unknown' : true
  }
  if ('any' in node) {
    const parts = node.any.map((part) => holds(part, until, isFiring))
    return parts.includes(true) ? true : parts.includes('unknown') ? 'unknown' : false
  }
  return leafHolds(node, until, isFiring)
}

function naivePhases({ conditions, forSeconds, clearForSeconds }: MetricRule, list: readonly Sample[]): string[] {
  let isFiring = false
  /** When the condition began to be other than the alert says. */
  let since: number | null = null
  return list.map(({ atMs }, index) => {
    const truth = holds(conditions, list.slice(0, index + 1), isFiring)
    if (truth !== 'unknown') {
      if (truth === isFiring) since = null
      else since ??= atMs
      const wait = (isFiring ? clearForSeconds : forSeconds) * 1_000
      if (since !== null && atMs - since >= wait) {
        isFiring = !isFiring
        since = null
      }
    }
    if (isFiring) return since === null ? 'firing' : 'clearing'
    return since === null ? 'normal' : 'pending'
  })
}

const columnsOf = ({ cpuPercent, networkRxBytes }: Sample) =>
  [cpuPercent, null, null, null, null, null, null, networkRxBytes, null, null].map((each) =>
    Float64Array.of(each ?? Number.NaN),
  )

/** @param restarts the samples before which another worker takes over, which reads the stored samples again */
function enginePhases(given: MetricRule, list: readonly Sample[], restarts: readonly number[]): string[] {
  const set = compileRules([given])
  const [compiled] = set.rules
  if (compiled === undefined) throw new Error('no rule')
  let watched = watch(1, set)
  const values = createValues()
  let [phase, sinceMs] = [normal, 0]
  return list.map((sample, index) => {
    const columns = columnsOf(sample)
    if (restarts.includes(index)) {
      watched = watch(1, set)
      const fromMs = sample.atMs - storedMs(set)
      for (const each of list.slice(0, index))
        if (each.atMs > fromMs) takeSample(values, columnsOf(each), 0, watched, each.atMs)
    }
    // A write that failed is evaluated again: the same sample twice changes nothing.
    takeSample(values, columns, 0, watched, sample.atMs)
    takeSample(values, columns, 0, watched, sample.atMs)
    const truth = truthOf(compiled.root, watched, values, sample.atMs, phase >= firing)
    const next = nextPhase(compiled, phase, sinceMs, truth, sample.atMs)
    if (next !== phase) sinceMs = sample.atMs
    phase = next
    return phaseNames[phase] ?? ''
  })
}

describe('the evaluation of rules', () => {
  it('passes the phases of a naive model, whichever worker evaluates', () => {
    const restarts = fc.array(fc.nat(39), { maxLength: 4 })
    const property = fc.property(rule, samples, restarts, (given, list, taken) => {
      expect(enginePhases(given, list, taken)).toEqual(naivePhases(given, list))
    })
    fc.assert(property, { numRuns: 3_000 })
  })
})
