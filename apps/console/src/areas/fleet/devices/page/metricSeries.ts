import type { MetricPoint } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Series } from '../../../../ui/chart/TimeChart.tsx'

interface MetricSeries {
  readonly at: readonly number[]
  readonly use: readonly Series[]
  readonly network: readonly Series[]
}

type Value = number | null
type Sample = Pick<
  MetricPoint,
  'at' | 'cpuPercent' | 'memoryUsed' | 'memoryTotal' | 'diskUsed' | 'diskTotal' | 'networkRxBytes' | 'networkTxBytes'
>

const share = (part: Value, whole: Value): Value => (part === null || !whole ? null : (part / whole) * 100)
const secondsOf = ({ at }: Sample) => Date.parse(at) / 1000

/** The usual distance of the samples, in seconds. */
function spacingOf(samples: readonly Sample[]): number {
  const distances = samples.slice(1).map((sample, index) => {
    const before = samples[index]
    return before === undefined ? 0 : secondsOf(sample) - secondsOf(before)
  })
  return distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 60
}

/**
 * Lines of a chart from stored samples. Where samples are missing the lines have a gap.
 * A reconnect stores two samples close together, whose difference is no rate: the second is left out.
 */
export function metricSeries(points: readonly Sample[]): MetricSeries {
  const spacing = spacingOf(points)
  const kept: (Sample | null)[] = []
  const at: number[] = []
  let last: number | undefined
  for (const point of points) {
    const seconds = secondsOf(point)
    if (last !== undefined && seconds - last < spacing / 2) continue
    if (last !== undefined && seconds - last > spacing * 2.5) {
      at.push(last + spacing)
      kept.push(null)
    }
    at.push(seconds)
    kept.push(point)
    last = seconds
  }
  const values = (of: (sample: Sample) => Value) => kept.map((sample) => (sample === null ? null : of(sample)))
  // The counters only grow, until the machine restarts.
  const rates = (of: (sample: Sample) => Value) =>
    kept.map((sample, index) => {
      const before = kept[index - 1]
      if (!sample || !before) return null
      const [now, then] = [of(sample), of(before)]
      const seconds = secondsOf(sample) - secondsOf(before)
      return now === null || then === null || now < then ? null : (now - then) / seconds
    })
  return {
    at,
    use: [
      { label: 'CPU', color: 1, values: values(({ cpuPercent }) => cpuPercent) },
      { label: 'Memory', color: 2, values: values(({ memoryUsed, memoryTotal }) => share(memoryUsed, memoryTotal)) },
      { label: 'Disk', color: 3, values: values(({ diskUsed, diskTotal }) => share(diskUsed, diskTotal)) },
    ],
    network: [
      { label: 'Received', color: 3, values: rates(({ networkRxBytes }) => networkRxBytes) },
      { label: 'Sent', color: 4, values: rates(({ networkTxBytes }) => networkTxBytes) },
    ],
  }
}
