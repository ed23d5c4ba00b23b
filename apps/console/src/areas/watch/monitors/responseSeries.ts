import type { Result } from '@muster/areas/watch/monitors/monitors.contract.ts'
import type { Series } from '../../../ui/chart/TimeChart.tsx'

type Sample = Pick<Result, 'at' | 'responseMs' | 'maxMs'>
interface Bucket {
  readonly at: number
  readonly average: number | null
  readonly slowest: number | null
}

const known = (values: readonly (number | null)[]): number[] => values.flatMap((value) => value ?? [])

/** Results of several probes at about the same time become one point. */
function bucketsOf(samples: readonly Sample[], seconds: number): Bucket[] {
  const groups = Map.groupBy(samples, ({ at }) => Math.floor(Date.parse(at) / 1_000 / seconds) * seconds)
  return [...groups].map(([at, group]) => {
    const averages = known(group.map(({ responseMs }) => responseMs))
    const slowest = known(group.map(({ maxMs }) => maxMs))
    return {
      at,
      average: averages.length === 0 ? null : averages.reduce((sum, ms) => sum + ms, 0) / averages.length,
      slowest: slowest.length === 0 ? null : Math.max(...slowest),
    }
  })
}

/**
 * Lines of response times. Where results are missing the lines have a gap.
 * @param spacing seconds between two points
 */
export function responseSeries(samples: readonly Sample[], spacing: number) {
  const at: number[] = []
  const kept: (Bucket | null)[] = []
  for (const bucket of bucketsOf(samples, spacing)) {
    const last = at.at(-1)
    if (last !== undefined && bucket.at - last > spacing * 2.5) {
      at.push(last + spacing)
      kept.push(null)
    }
    at.push(bucket.at)
    kept.push(bucket)
  }
  const series: Series[] = [
    { label: 'Average', color: 1, values: kept.map((bucket) => bucket?.average ?? null) },
    { label: 'Slowest', color: 3, values: kept.map((bucket) => bucket?.slowest ?? null) },
  ]
  return { at, series }
}
