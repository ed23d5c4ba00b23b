import type pg from 'pg'
import { at } from '../../../background/job.ts'
import { keptFrom } from './retention.jobs.ts'

/*
 * Rolls heartbeats up to five minutes, and those to hours. A period is rolled up after its end, when its heartbeats have had
 * time to arrive. Late heartbeats mark their period, which is then rolled up again. A repetition gives the same rows.
 */

/** A time is rolled up when it has been over for so long. */
const rollupDelayMs = 2 * 60_000
const rollupDevicesPerStatement = 2_000
const rollupHoursPerRun = 48
const rollupLatePerRun = 10_000
const minuteMs = 60_000
export const fiveMinutesMs = 5 * minuteMs
const hourMs = 60 * minuteMs

interface Resolution {
  name: 'five_minutes' | 'hours'
  ms: number
  fold: { name: string; text: string }
}

const figures = ['cpu_percent', 'memory_used', 'disk_used', 'load_1m', 'process_count']
const lastKnown = ['memory_total', 'disk_total', 'uptime_seconds', 'network_rx_bytes', 'network_tx_bytes']
const targetColumns = ['samples', ...figures, ...figures.map((figure) => `${figure}_max`), ...lastKnown]
const types: Readonly<Record<string, string>> = { cpu_percent: 'real', load_1m: 'real', process_count: 'integer' }
const typeOf = (figure: string) => types[figure] ?? 'bigint'

const last = lastKnown.map(
  (column) => `(array_agg(m.${column} ORDER BY m.at DESC) FILTER (WHERE m.${column} IS NOT NULL))[1] AS ${column}`,
)
const ofHeartbeats = [
  'count(*)::int AS samples',
  ...figures.map((figure) => `avg(m.${figure})::${typeOf(figure)} AS ${figure}`),
  ...figures.map((figure) => `max(m.${figure}) AS ${figure}_max`),
  ...last,
]
const weighted = (figure: string) =>
  `(sum(m.${figure}::float8 * m.samples) / sum(m.samples) FILTER (WHERE m.${figure} IS NOT NULL))::${typeOf(figure)}`
const ofFiveMinutes = [
  'sum(m.samples)::int AS samples',
  ...figures.map((figure) => `${weighted(figure)} AS ${figure}`),
  ...figures.map((figure) => `max(m.${figure}_max) AS ${figure}_max`),
  ...last,
]

/** For one slice of the devices: their rows of the times from $1 to before $2, and the last device of the slice. */
const fold = (from: string, to: string, binMs: number, columns: readonly string[]) => ({
  name: `fold-${to}`,
  text: `WITH slice AS (
      SELECT device_id, org_id, partner_id FROM device_state WHERE device_id > $3 ORDER BY device_id LIMIT ${rollupDevicesPerStatement}
    ), folded AS (
      INSERT INTO ${to} AS old (at, device_id, org_id, partner_id, ${targetColumns.join(', ')})
      SELECT f.at, s.device_id, s.org_id, s.partner_id, ${targetColumns.map((column) => `f.${column}`).join(', ')}
      FROM slice s CROSS JOIN LATERAL (
        SELECT date_bin('${binMs} milliseconds', m.at, 'epoch') AS at, ${columns.join(', ')}
        FROM ${from} m WHERE m.device_id = s.device_id AND m.at >= $1 AND m.at < $2 GROUP BY 1) f
      ON CONFLICT (device_id, at) DO UPDATE SET ${targetColumns.map((column) => `${column} = excluded.${column}`).join(', ')}
      RETURNING 1)
    SELECT (SELECT count(*)::int FROM folded) AS rows, (SELECT device_id FROM slice ORDER BY device_id DESC LIMIT 1) AS last`,
})

const fiveMinutes: Resolution = {
  name: 'five_minutes',
  ms: fiveMinutesMs,
  fold: fold('device_metrics', 'device_metrics_five_minutes', fiveMinutesMs, ofHeartbeats),
}
const hours: Resolution = {
  name: 'hours',
  ms: hourMs,
  fold: fold('device_metrics_five_minutes', 'device_metrics_hours', hourMs, ofFiveMinutes),
}

export interface RolledUp {
  rows: number
  /** Times that were folded once more because heartbeats of theirs came late. */
  repaired: number
}

/**
 * Folds what is over by now and what came late, up to a bound per run.
 * @param keptFromMs what is older has lost its heartbeats to retention and is left as it is
 */
export async function rollUpMetrics(pool: pg.Pool, nowMs: number, keptFromMs: number): Promise<RolledUp> {
  const dueMs = nowMs - rollupDelayMs
  let rows = await advance(pool, fiveMinutes, dueMs)
  const doneMs = await doneUntil(pool, fiveMinutes)
  rows += await advance(pool, hours, doneMs)
  const late = await repair(pool, doneMs, keptFromMs)
  return { rows: rows + late.rows, repaired: late.repaired }
}

/** Folds, hour by hour, from where the last run ended to the last time that is over. */
async function advance(pool: pg.Pool, resolution: Resolution, overMs: number): Promise<number> {
  const endMs = floor(overMs, resolution.ms)
  let fromMs = await doneUntil(pool, resolution)
  let rows = 0
  for (let turn = 0; fromMs < endMs && turn < rollupHoursPerRun; turn++) {
    const toMs = Math.min(endMs, floor(fromMs, hourMs) + hourMs)
    rows += await foldAll(pool, resolution, fromMs, toMs)
    await pool.query({
      name: 'advance-rollup',
      text: 'UPDATE metric_rollups SET done_until = greatest(done_until, $2) WHERE resolution = $1',
      values: [resolution.name, new Date(toMs)],
    })
    fromMs = toMs
  }
  return rows
}

/** Times whose heartbeats came late. The notes are removed last: what was noted meanwhile is for the next run. */
async function repair(pool: pg.Pool, doneMs: number, keptFromMs: number): Promise<RolledUp> {
  const { rows: notes } = await pool.query<{ id: number; at: string }>({
    name: 'read-late-metrics',
    text: `SELECT id, at FROM late_metrics WHERE at < $1 ORDER BY id LIMIT ${rollupLatePerRun}`,
    values: [new Date(doneMs)],
  })
  const times = new Set(notes.map(({ at }) => floor(Date.parse(at), fiveMinutesMs)).filter((ms) => ms >= keptFromMs))
  let rows = 0
  for (const ms of times) rows += await foldAll(pool, fiveMinutes, ms, ms + fiveMinutesMs)
  const hoursDoneMs = await doneUntil(pool, hours)
  const inHours = new Set([...times].map((ms) => floor(ms, hourMs)).filter((ms) => ms < hoursDoneMs))
  for (const ms of inHours) rows += await foldAll(pool, hours, ms, ms + hourMs)
  if (notes.length > 0)
    await pool.query({
      name: 'forget-late-metrics',
      text: 'DELETE FROM late_metrics WHERE id = ANY($1::bigint[])',
      values: [notes.map(({ id }) => id)],
    })
  return { rows, repaired: times.size }
}

async function foldAll(pool: pg.Pool, resolution: Resolution, fromMs: number, toMs: number): Promise<number> {
  let device: string | null = '00000000-0000-0000-0000-000000000000'
  let made = 0
  while (device !== null) {
    const { rows }: { rows: { rows: number; last: string | null }[] } = await pool.query({
      ...resolution.fold,
      values: [new Date(fromMs), new Date(toMs), device],
    })
    made += rows[0]?.rows ?? 0
    device = rows[0]?.last ?? null
  }
  return made
}

async function doneUntil(pool: pg.Pool, { name }: Resolution): Promise<number> {
  const { rows } = await pool.query<{ done_until: string }>({
    name: 'read-rollup',
    text: 'SELECT done_until FROM metric_rollups WHERE resolution = $1',
    values: [name],
  })
  const [row] = rows
  if (row === undefined) throw new Error(`The database does not say how far ${name} are rolled up`)
  return Date.parse(row.done_until)
}

const floor = (ms: number, unitMs: number) => Math.floor(ms / unitMs) * unitMs

/** Two minutes after each time is over. */
export const rollups = at('2-57/5 * * * *', 'metric-rollups', async ({ pool, log, settings }) => {
  const now = Date.now()
  log.debug(await rollUpMetrics(pool, now, keptFrom(settings.metricDays.raw, now)), 'metrics rolled up')
})
