import { metricNames } from '../rules/conditions.contract.ts'
import type { Watched } from './watched.ts'

/** The figures of a heartbeat in wire order. */
export type Figures = readonly (Float64Array | undefined)[]

const index = Object.fromEntries(metricNames.map((name, at) => [name, at]))
const at = (name: (typeof metricNames)[number]): number => index[name] ?? 0
const metric = {
  memoryPercent: at('memoryPercent'),
  memoryFree: at('memoryFree'),
  diskPercent: at('diskPercent'),
  diskFree: at('diskFree'),
  rxRate: at('networkRxPerSecond'),
  txRate: at('networkTxPerSecond'),
}
/** Where each figure of a heartbeat stands among the metrics. */
const targets = [
  at('cpuPercent'),
  at('memoryUsed'),
  at('memoryTotal'),
  at('diskUsed'),
  at('diskTotal'),
  at('load1m'),
  at('uptimeSeconds'),
  at('networkRxBytes'),
  at('networkTxBytes'),
  at('processCount'),
]
const [, memoryUsed = 0, memoryTotal = 0, diskUsed = 0, diskTotal = 0, , , rxBytes = 0, txBytes = 0] = targets

export const createValues = (): Float64Array => new Float64Array(metricNames.length)

const share = (part: number, whole: number): number => (whole > 0 ? (100 * part) / whole : Number.NaN)

/** Reads the metrics of a heartbeat into `values`, and adds them to the windows and counters of the device. */
export function takeSample(values: Float64Array, figures: Figures, row: number, watched: Watched, atMs: number): void {
  for (let field = 0; field < targets.length; field++) values[targets[field] ?? 0] = figures[field]?.[row] ?? Number.NaN
  const used = values[memoryUsed] ?? Number.NaN
  const memory = values[memoryTotal] ?? Number.NaN
  const filled = values[diskUsed] ?? Number.NaN
  const disk = values[diskTotal] ?? Number.NaN
  values[metric.memoryPercent] = share(used, memory)
  values[metric.memoryFree] = memory - used
  values[metric.diskPercent] = share(filled, disk)
  values[metric.diskFree] = disk - filled
  const { counters, windows } = watched
  if (counters !== null) counters.add(atMs, values[rxBytes] ?? Number.NaN, values[txBytes] ?? Number.NaN)
  values[metric.rxRate] = counters?.rxRate ?? Number.NaN
  values[metric.txRate] = counters?.txRate ?? Number.NaN
  if (windows === null) return
  for (let each = 0; each < windows.length; each++) {
    const window = windows[each]
    window?.add(atMs, values[window.metric] ?? Number.NaN)
  }
}
