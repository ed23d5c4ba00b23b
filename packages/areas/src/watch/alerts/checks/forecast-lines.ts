// The line through the last hours of a metric, drawn on.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { devicesOfTargetsSql } from '../../../fleet/targets/index.ts'
import { metricColumn } from '../evaluation/metric-columns.ts'
import type { Metric } from '../rules/conditions.contract.ts'
import type { Found, ScannedRule } from './scan.ts'

/** A line needs this much history, and looks back as far as it looks ahead within these bounds. */
const samplesMin = 12
const lookBackHours = { least: 6, most: 168 }
/** The share of the variation that the line explains. */
const fitMin = 0.6
/** Metrics that are a problem when they fall. */
const falling: readonly Metric[] = ['memoryFree', 'diskFree']

export interface Line {
  readonly deviceId: string
  readonly slope: number | null
  readonly fit: number | null
  readonly samples: number
  readonly atEnd: number | null
  readonly phase: Found['phase']
  readonly sinceMs: number | null
}

/** The hours of history that a line goes through. */
export const lookBackOf = (withinHours: number): number =>
  Math.ceil(Math.min(Math.max(withinHours, lookBackHours.least), lookBackHours.most))

/** The line through the history of each targeted device: change per hour, and where it ends. */
export async function linesOf(
  db: Db,
  rule: Pick<ScannedRule, 'id' | 'targetSetId'>,
  metric: Metric,
  withinHours: number,
): Promise<Line[]> {
  const x = sql`extract(epoch FROM p.at - now()) / 3600`
  const { rows } =
    await sql<Line>`SELECT d.id AS device_id, l.slope, l.fit, l.samples, l.at_now + l.slope * ${withinHours} AS at_end,
      a.phase, (extract(epoch FROM a.since) * 1000)::float8 AS since_ms
    FROM target_sets t CROSS JOIN LATERAL ${sql.raw(devicesOfTargetsSql('t'))} AS d
    CROSS JOIN LATERAL (
      SELECT regr_slope(p.value, ${x}) AS slope, regr_r2(p.value, ${x}) AS fit, regr_intercept(p.value, ${x}) AS at_now, count(p.value)::int AS samples
      FROM (SELECT m.at, (${metricColumn(metric)})::float8 AS value FROM device_metrics_five_minutes m
        WHERE m.device_id = d.id AND m.at > now() - make_interval(hours => ${lookBackOf(withinHours)}::int)
        WINDOW samples AS (ORDER BY m.at)) p) l
    LEFT JOIN alert_states a ON a.rule_id = ${rule.id} AND a.device_id = d.id
    WHERE t.id = ${rule.targetSetId}`.execute(db)
  return rows
}

/** Whether a metric goes where it is a problem. */
export const reaches = (
  metric: Metric,
  threshold: number,
  { slope, fit, samples, atEnd }: Pick<Line, 'slope' | 'fit' | 'samples' | 'atEnd'>,
): boolean => {
  if (slope === null || atEnd === null || fit === null || samples < samplesMin || fit < fitMin) return false
  return falling.includes(metric) ? slope < 0 && atEnd <= threshold : slope > 0 && atEnd >= threshold
}
