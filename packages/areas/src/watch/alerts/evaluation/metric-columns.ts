import { type RawBuilder, sql } from 'kysely'
import type { Metric } from '../rules/conditions.contract.ts'

const percent = (part: string, whole: string) =>
  sql`100.0 * ${sql.ref(`m.${part}`)} / nullif(${sql.ref(`m.${whole}`)}, 0)`
/** Of two samples that follow each other. A counter that fell began again. */
const rate = (column: string) => {
  const now = sql.ref(`m.${column}`)
  const before = sql`lag(${now}) OVER samples`
  const seconds = sql`extract(epoch FROM m.at - lag(m.at) OVER samples)`
  return sql`CASE WHEN ${now} >= ${before} THEN (${now} - ${before}) / nullif(${seconds}, 0) END`
}

const columns: Readonly<Record<Metric, RawBuilder<unknown>>> = {
  cpuPercent: sql`m.cpu_percent`,
  memoryUsed: sql`m.memory_used`,
  memoryTotal: sql`m.memory_total`,
  memoryPercent: percent('memory_used', 'memory_total'),
  memoryFree: sql`m.memory_total - m.memory_used`,
  diskUsed: sql`m.disk_used`,
  diskTotal: sql`m.disk_total`,
  diskPercent: percent('disk_used', 'disk_total'),
  diskFree: sql`m.disk_total - m.disk_used`,
  load1m: sql`m.load_1m`,
  uptimeSeconds: sql`m.uptime_seconds`,
  networkRxBytes: sql`m.network_rx_bytes`,
  networkTxBytes: sql`m.network_tx_bytes`,
  processCount: sql`m.process_count`,
  networkRxPerSecond: rate('network_rx_bytes'),
  networkTxPerSecond: rate('network_tx_bytes'),
}

/** A metric of stored heartbeats `m`. The query has a window `samples` of one device in the order of time. */
export const metricColumn = (metric: Metric): RawBuilder<unknown> => columns[metric]

/** The figures of heartbeats in wire order, as columns of `device_metrics`. */
export const figureColumns = [
  'cpu_percent',
  'memory_used',
  'memory_total',
  'disk_used',
  'disk_total',
  'load_1m',
  'uptime_seconds',
  'network_rx_bytes',
  'network_tx_bytes',
  'process_count',
] as const
