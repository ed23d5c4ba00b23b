// Results of monitors: what probes reported, and its sums over five minutes and hours.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Observed } from '../../../background/observer.ts'
import type { StoredMonitor } from '../monitor.queries.ts'
import type { Resolution, Result } from '../monitors.contract.ts'

/** Stores results and adds them to the sums. @returns those that were not stored before */
export async function storeResults(
  db: Db,
  observed: readonly Observed[],
  monitors: ReadonlyMap<string, StoredMonitor>,
): Promise<Observed[]> {
  if (observed.length === 0) return []
  const column = <Value>(of: (each: Observed) => Value) => observed.map(of)
  const { rows } = await sql<{ monitorId: string; deviceId: string; atMs: number }>`
    WITH stored AS (
      INSERT INTO monitor_results (monitor_id, device_id, partner_id, org_id, at, state, rounds, failed, answered, min_ms, max_ms, sum_ms, reason)
      SELECT u.monitor_id, u.device_id, u.partner_id, u.org_id, to_timestamp(u.at / 1000), u.state, u.rounds, u.failed,
        CASE WHEN u.sum_ms IS NULL THEN 0 ELSE greatest(u.rounds - u.failed, 1) END, u.min_ms, u.max_ms, u.sum_ms, left(u.reason, 500)
      FROM unnest(${column(({ id }) => id)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
        ${column(({ id }) => monitors.get(id)?.partnerId ?? null)}::uuid[], ${column(({ id }) => monitors.get(id)?.orgId ?? null)}::uuid[],
        ${column(({ at }) => at)}::float8[], ${column(({ state }) => state)}::text[], ${column(({ rounds }) => rounds)}::int[],
        ${column(({ failed }) => failed)}::int[], ${column(({ minMs }) => minMs ?? null)}::float8[],
        ${column(({ maxMs }) => maxMs ?? null)}::float8[], ${column(({ sumMs }) => sumMs ?? null)}::float8[],
        ${column(({ text }) => text ?? null)}::text[])
        AS u(monitor_id, device_id, partner_id, org_id, at, state, rounds, failed, min_ms, max_ms, sum_ms, reason)
      ON CONFLICT DO NOTHING RETURNING *
    ), summed AS (
      INSERT INTO monitor_rollups AS r (monitor_id, seconds, at, partner_id, org_id, rounds, failed, answered, min_ms, max_ms, sum_ms)
      SELECT s.monitor_id, w.seconds, to_timestamp(floor(extract(epoch FROM s.at) / w.seconds) * w.seconds), s.partner_id, s.org_id,
        sum(s.rounds), sum(s.failed), sum(s.answered), min(s.min_ms), max(s.max_ms), sum(s.sum_ms)
      FROM stored s CROSS JOIN (VALUES (300), (3600)) AS w(seconds) GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3
      ON CONFLICT (monitor_id, seconds, at) DO UPDATE SET rounds = r.rounds + excluded.rounds, failed = r.failed + excluded.failed,
        answered = r.answered + excluded.answered, min_ms = least(r.min_ms, excluded.min_ms), max_ms = greatest(r.max_ms, excluded.max_ms),
        sum_ms = CASE WHEN r.sum_ms IS NULL AND excluded.sum_ms IS NULL THEN NULL ELSE coalesce(r.sum_ms, 0) + coalesce(excluded.sum_ms, 0) END
    )
    SELECT monitor_id AS "monitorId", device_id AS "deviceId", round(extract(epoch FROM at) * 1000)::float8 AS "atMs" FROM stored`.execute(
    db,
  )
  const keyOf = (id: string, deviceId: string, at: number) => `${id} ${deviceId} ${at}`
  const stored = new Set(rows.map(({ monitorId, deviceId, atMs }) => keyOf(monitorId, deviceId, atMs)))
  return observed.filter(({ id, deviceId, at }) => stored.delete(keyOf(id, deviceId, at)))
}

const secondsOf = { '5m': 300, '1h': 3_600 } as const

/** The results of a time, oldest first. */
export async function resultsOf(
  db: Db,
  monitorId: string,
  { from, to, resolution }: { readonly from: string; readonly to: string; readonly resolution: Resolution },
): Promise<Result[]> {
  const average = sql`CASE WHEN answered > 0 THEN sum_ms / answered END AS "responseMs", min_ms AS "minMs", max_ms AS "maxMs"`
  const within = sql`monitor_id = ${monitorId} AND at >= ${from} AND at < ${to}`
  const { rows } =
    resolution === 'raw'
      ? await sql<Result>`SELECT at, device_id AS "deviceId", state, ${average}, rounds, failed, reason
          FROM monitor_results WHERE ${within} ORDER BY at, device_id`.execute(db)
      : await sql<Result>`SELECT at, NULL::uuid AS "deviceId", NULL AS state, ${average}, rounds, failed, NULL AS reason
          FROM monitor_rollups WHERE ${within} AND seconds = ${secondsOf[resolution]} ORDER BY at`.execute(db)
  return rows
}
