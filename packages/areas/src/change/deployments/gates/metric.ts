// Whether a figure of the devices became worse than that of devices which were not sent the order.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { MetricField } from './gate.contract.ts'
import { worseBy } from './worse.rules.ts'

/** How long before the batch, and how much of the time since its end, is compared. */
const windowMinutes = 15
/** Of each side. They are the first of a random order. */
const devicesMax = 500

const figures: Readonly<Record<MetricField, string>> = {
  cpuPercent: 'm.cpu_percent',
  memoryPercent: '100.0 * m.memory_used / nullif(m.memory_total, 0)',
  diskPercent: '100.0 * m.disk_used / nullif(m.disk_total, 0)',
  load1m: 'm.load_1m',
  processCount: 'm.process_count',
}

/** Less than this is taken as this, so that a change of almost nothing is not a large share. */
const floors: Readonly<Record<MetricField, number>> = {
  cpuPercent: 1,
  memoryPercent: 1,
  diskPercent: 1,
  load1m: 0.1,
  processCount: 1,
}

interface Averages {
  readonly before: number | null
  readonly after: number | null
  readonly controlBefore: number | null
  readonly controlAfter: number | null
}

/** By how many percent the figure is worse than expected; null while too few heartbeats are there. */
export async function metricWorseBy(
  db: Db,
  deploymentId: string,
  batch: number,
  field: MetricField,
): Promise<number | null> {
  const figure = sql.raw(figures[field])
  const average = (devices: 'reached' | 'control', from: string, to: string) => sql<number>`(
    SELECT avg(${figure})::float8 FROM ${sql.raw(devices)} d JOIN device_metrics m ON m.device_id = d.device_id, batch
    WHERE m.at >= ${sql.raw(from)} AND m.at < ${sql.raw(to)})`
  const before = [`batch.began_at - interval '${windowMinutes} minutes'`, 'batch.began_at'] as const
  const after = [`greatest(batch.settled_at, now() - interval '${windowMinutes} minutes')`, 'now()'] as const
  const { rows } = await sql<Averages>`WITH batch AS (
      SELECT began_at, settled_at FROM deployment_batches WHERE deployment_id = ${deploymentId}::uuid AND number = ${batch}
    ), reached AS (
      SELECT device_id FROM deployment_devices
      WHERE deployment_id = ${deploymentId}::uuid AND batch = ${batch} AND attempt > 0 ORDER BY place LIMIT ${devicesMax}
    ), control AS (
      SELECT device_id FROM deployment_devices
      WHERE deployment_id = ${deploymentId}::uuid AND batch > ${batch} AND attempt = 0 ORDER BY place LIMIT ${devicesMax}
    )
    SELECT ${average('reached', ...before)} AS before, ${average('reached', ...after)} AS after,
      ${average('control', ...before)} AS control_before, ${average('control', ...after)} AS control_after`.execute(db)
  const [row] = rows
  return row === undefined ? null : worseBy(row, floors[field])
}
