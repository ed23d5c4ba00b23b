// What of a filter can be evaluated over stored heartbeats: comparisons of metrics.
import type { Comparison, Filter } from '../../../fleet/filter-language/filter.contract.ts'
import { Metric, type MetricCondition, type MetricTree } from '../rules/conditions.contract.ts'

interface Parts {
  readonly tree: MetricTree
  /** What has no history and is taken as it is now. */
  readonly rest: Filter | null
}

/** A filter as a tree of metrics, and the part of it that compares other fields. Null if that is not possible. */
export function historyOf(filter: Filter): Parts | null {
  const whole = treeOf(filter)
  if (whole !== null) return { tree: whole, rest: null }
  if (!('all' in filter)) return null
  const trees = filter.all.flatMap((part) => treeOf(part) ?? [])
  if (trees.length === 0) return null
  return { tree: { all: trees }, rest: { all: filter.all.filter((part) => treeOf(part) === null) } }
}

function treeOf(filter: Filter): MetricTree | null {
  if ('field' in filter) return comparisonOf(filter)
  const parts = 'all' in filter ? filter.all : 'any' in filter ? filter.any : []
  const trees = parts.map(treeOf)
  const known = trees.filter((tree) => tree !== null)
  if (known.length === 0 || known.length < trees.length) return null
  return 'all' in filter ? { all: known } : { any: known }
}

function comparisonOf({ field, op, value }: Comparison): MetricTree | null {
  const metric = Metric.safeParse(field)
  if (!metric.success) return null
  const leaf = (operator: MetricCondition['operator'], threshold: number): MetricTree => ({
    kind: 'metric',
    metric: metric.data,
    operator,
    threshold,
    aggregate: 'last',
  })
  if (op === 'between' && Array.isArray(value)) {
    const [least, most] = value
    return typeof least === 'number' && typeof most === 'number'
      ? { all: [leaf('gte', least), leaf('lte', most)] }
      : null
  }
  if (typeof value !== 'number') return null
  switch (op) {
    case 'atLeast':
      return leaf('gte', value)
    case 'atMost':
      return leaf('lte', value)
    case 'moreThan':
      return leaf('gt', value)
    case 'lessThan':
      return leaf('lt', value)
    default:
      return null
  }
}
