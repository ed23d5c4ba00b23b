// Stored heartbeats, and their averages of five minutes, in the order of devices and time.
import type { Db } from '@muster/db/database.ts'
import { rowsWithin } from '@muster/db/time-limit.ts'
import { sql } from 'kysely'
import { figureColumns, metricColumn } from '../evaluation/metric-columns.ts'
import type { Metric } from '../rules/conditions.contract.ts'

export interface Heartbeat {
  readonly deviceId: string
  readonly atMs: number
  /** In wire order. */
  readonly figures: readonly (number | null)[]
}

export interface Point {
  readonly deviceId: string
  readonly atMs: number
  readonly value: number | null
}

const atMs = sql`(extract(epoch FROM m.at) * 1000)::float8 AS at_ms`
const figures = sql.join(figureColumns.map((column) => sql.ref(`m.${column}`)))

/** The heartbeats of the last seconds. Null if reading them takes longer. */
export const heartbeatsOf = (
  db: Db,
  ms: number,
  deviceIds: readonly string[],
  seconds: number,
): Promise<Heartbeat[] | null> =>
  rowsWithin(
    db,
    ms,
    sql<Heartbeat>`SELECT m.device_id, ${atMs}, ARRAY[${figures}]::float8[] AS figures
      FROM device_metrics m WHERE m.device_id = ANY (${[...deviceIds]}::uuid[]) AND m.at > now() - make_interval(secs => ${seconds})
      ORDER BY m.device_id, m.at`,
  )

/** A metric as averages of five minutes. Null if reading it takes longer. */
export const pointsOf = (
  db: Db,
  ms: number,
  deviceIds: readonly string[],
  metric: Metric,
  hours: number,
): Promise<Point[] | null> =>
  rowsWithin(
    db,
    ms,
    sql<Point>`SELECT m.device_id, ${atMs}, (${metricColumn(metric)})::float8 AS value
      FROM device_metrics_five_minutes m
      WHERE m.device_id = ANY (${[...deviceIds]}::uuid[]) AND m.at > now() - make_interval(secs => ${hours * 3_600})
      WINDOW samples AS (PARTITION BY m.device_id ORDER BY m.at) ORDER BY m.device_id, m.at`,
  )
