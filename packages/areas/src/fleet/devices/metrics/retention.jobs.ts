import { patiently } from '@muster/db/patiently.ts'
import type pg from 'pg'
import { at } from '../../../background/job.ts'
import type { BackgroundSettings } from '../../../background/worker-parts.ts'

const partitionDaysAhead = 3
const dayMs = 86_400_000

/** The start of the first day that is still kept. */
export const keptFrom = (days: number, nowMs: number): number => (Math.floor(nowMs / dayMs) - days) * dayMs

/** Makes the tables that the next days' metrics go into; returns how many were missing. */
export async function ensureMetricPartitions(pool: pg.Pool): Promise<number> {
  const { rows } = await patiently(() =>
    pool.query<{ made: number }>('SELECT ensure_metric_partitions($1) AS made', [partitionDaysAhead]),
  )
  return rows[0]?.made ?? 0
}

/** Drops the partitions whose days are over, and what old heartbeats came so late that they have no partition. */
export async function dropOldMetrics(
  pool: pg.Pool,
  days: BackgroundSettings['metricDays'],
  nowMs: number,
): Promise<string[]> {
  const series = {
    device_metrics: days.raw,
    device_metrics_five_minutes: days.fiveMinutes,
    device_metrics_hours: days.hours,
  }
  const dropped: string[] = []
  for (const [table, keptDays] of Object.entries(series)) {
    const from = new Date(keptFrom(keptDays, nowMs))
    const { rows } = await pool.query<{ name: string }>(
      'SELECT name FROM metric_partitions() WHERE series = $1 AND ends <= $2::date ORDER BY ends',
      [table, from.toISOString().slice(0, 10)],
    )
    for (const { name } of rows) {
      await patiently(() => pool.query('SELECT drop_metric_partition($1)', [name]))
      dropped.push(name)
    }
    if (table !== 'device_metrics_hours') await pool.query(`DELETE FROM ${table} WHERE at < $1`, [from])
  }
  return dropped
}

export const partitions = at('17 1 * * *', 'metric-partitions', async ({ pool, log }) => {
  log.info({ made: await ensureMetricPartitions(pool) }, 'partitions for metrics made')
})

export const retention = at('37 1 * * *', 'metric-retention', async ({ pool, log, settings }) => {
  log.info({ dropped: await dropOldMetrics(pool, settings.metricDays, Date.now()) }, 'old metrics dropped')
})
