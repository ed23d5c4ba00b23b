// Rules on heartbeats, prepared for evaluation. Devices with the same rules share one rule set.
import { type MetricCondition, type MetricTree, metricNames } from '../rules/conditions.contract.ts'

/** A stored rule on metrics. */
export interface MetricRule {
  readonly id: string
  readonly version: number
  readonly conditions: MetricTree
  readonly forSeconds: number
  readonly clearForSeconds: number
}

export const leaf = 0
export const all = 1
export const any = 2

/** One form for leaves and groups, so that evaluation sees objects of one shape. */
export interface Node {
  readonly kind: number
  /** The index of the metric, in the order of `metricNames`. */
  readonly metric: number
  readonly isRising: boolean
  readonly isStrict: boolean
  readonly threshold: number
  /** What the value has to cross before the condition counts as false again. */
  readonly clearThreshold: number
  /** The index of the window among those of the rule set; -1 for the value of the heartbeat. */
  readonly window: number
  readonly aggregate: MetricCondition['aggregate']
  readonly parts: readonly Node[]
}

export interface CompiledRule {
  readonly id: string
  readonly version: number
  readonly root: Node
  readonly forMs: number
  readonly clearForMs: number
}

/** The samples of one metric over one duration. */
export interface WindowSpec {
  readonly metric: number
  readonly ms: number
}

export interface RuleSet {
  readonly rules: readonly CompiledRule[]
  readonly windows: readonly WindowSpec[]
  readonly usesRates: boolean
}

const firstRate = metricNames.indexOf('networkRxPerSecond')
const none: readonly Node[] = []

export function compileRules(rules: readonly MetricRule[]): RuleSet {
  const windows: WindowSpec[] = []
  let usesRates = false
  const windowOf = (metric: number, ms: number): number => {
    const known = windows.findIndex((window) => window.metric === metric && window.ms === ms)
    return known >= 0 ? known : windows.push({ metric, ms }) - 1
  }
  const nodeOf = (tree: MetricTree): Node => {
    if ('all' in tree) return groupOf(all, tree.all.map(nodeOf))
    if ('any' in tree) return groupOf(any, tree.any.map(nodeOf))
    const metric = metricNames.indexOf(tree.metric)
    if (metric >= firstRate) usesRates = true
    return {
      kind: leaf,
      metric,
      isRising: tree.operator === 'gt' || tree.operator === 'gte',
      isStrict: tree.operator === 'gt' || tree.operator === 'lt',
      threshold: tree.threshold,
      clearThreshold: tree.clearThreshold ?? tree.threshold,
      window: tree.windowSeconds === undefined ? -1 : windowOf(metric, tree.windowSeconds * 1_000),
      aggregate: tree.aggregate,
      parts: none,
    }
  }
  const compiled = rules.map(
    (rule): CompiledRule => ({
      id: rule.id,
      version: rule.version,
      root: nodeOf(rule.conditions),
      forMs: rule.forSeconds * 1_000,
      clearForMs: rule.clearForSeconds * 1_000,
    }),
  )
  return { rules: compiled, windows, usesRates }
}

const groupOf = (kind: number, parts: readonly Node[]): Node => ({
  kind,
  metric: 0,
  isRising: true,
  isStrict: true,
  threshold: 0,
  clearThreshold: 0,
  window: -1,
  aggregate: 'last',
  parts,
})
