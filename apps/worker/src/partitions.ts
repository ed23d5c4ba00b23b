import type pg from 'pg'
import { metricPartitionDaysAhead } from './limits.ts'

/** Makes the tables that the next days' metrics go into; returns how many were missing. */
export async function ensureMetricPartitions(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ made: number }>('SELECT ensure_metric_partitions($1) AS made', [
    metricPartitionDaysAhead,
  ])
  return rows[0]?.made ?? 0
}
