import type pg from 'pg'
import type { Delivery } from '../../background/delivery-kind.ts'

/** After this many failures in a row a lane gets one try at a time, with this time between the starts of two. */
export const probesFrom = 5
export const probeMs = 30_000

/** A delivery that this worker may try until the lease ends. */
export interface Claimed extends Delivery {
  readonly kind: string
  /** Whether the lane has failed since its last success. */
  readonly isFailing: boolean
  /** When its tries end; null if its kind alone decides. */
  readonly lastsUntilMs: number | null
}

export interface Room {
  /** Lanes that may be served now: those that answer, and those that failed at last. */
  readonly healthy: number
  readonly failing: number
  /** Partners that have their share of this worker already. */
  readonly withoutPartners: readonly string[]
  readonly kinds: readonly string[]
  readonly leaseMs: number
}

interface LockedLane {
  readonly lane: string
  readonly kind: string
  readonly concurrency: number
  readonly spacingMs: number
  readonly lastsMs: number | null
  readonly failures: number
}

// Partners take turns, and lanes within a partner.
const lockLanes = {
  name: 'lock-delivery-lanes',
  text: `WITH due AS (
      SELECT lane, failures > 0 AS failing,
        row_number() OVER (PARTITION BY failures > 0, partner_id ORDER BY greatest(due_at, not_before)) AS turn
      FROM delivery_lanes
      WHERE greatest(due_at, not_before) <= now() AND kind = ANY ($1::text[]) AND partner_id <> ALL ($2::uuid[])),
    ranked AS (SELECT lane, failing, row_number() OVER (PARTITION BY failing ORDER BY turn, lane) AS place FROM due)
    SELECT lane, kind, concurrency, spacing_ms AS "spacingMs", lasts_ms AS "lastsMs", failures FROM delivery_lanes
    WHERE lane IN (SELECT lane FROM ranked WHERE place <= CASE WHEN failing THEN $3::integer ELSE $4::integer END)
      AND greatest(due_at, not_before) <= now()
    FOR NO KEY UPDATE SKIP LOCKED`,
}

// A second statement, because the snapshot of the first can be older than its locks.
const takeDeliveries = {
  name: 'take-deliveries',
  text: `WITH lanes AS (
      SELECT * FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) AS l(lane, concurrency, spacing_ms, failures)),
    busy AS (
      SELECT l.lane, count(d.id) AS deliveries, min(d.next_attempt_at) AS until FROM lanes l
      LEFT JOIN deliveries d ON d.lane = l.lane AND d.status = 'delivering' AND d.next_attempt_at > now() GROUP BY l.lane),
    room AS (
      SELECT l.*, b.until, b.deliveries,
        greatest(0, least(CASE WHEN l.spacing_ms > 0 THEN 1 ELSE l.concurrency END, l.concurrency - b.deliveries)) AS free
      FROM lanes l JOIN busy b USING (lane)),
    picked AS (
      SELECT r.lane, d.id FROM room r CROSS JOIN LATERAL (
        SELECT id FROM deliveries o WHERE o.lane = r.lane AND o.status IN ('pending', 'delivering') AND o.next_attempt_at <= now()
        ORDER BY o.next_attempt_at, o.created_at LIMIT r.free) AS d),
    counted AS (SELECT r.lane, count(p.id) AS picked FROM room r LEFT JOIN picked p USING (lane) GROUP BY r.lane),
    lease AS (SELECT now() + make_interval(secs => $5::float8 / 1000) AS until),
    planned AS (
      SELECT r.lane, c.picked, r.failures, r.spacing_ms, least(
        CASE WHEN c.picked + r.deliveries < r.concurrency THEN (
            SELECT min(o.next_attempt_at) FROM deliveries o WHERE o.lane = r.lane AND o.status IN ('pending', 'delivering')
              AND o.id NOT IN (SELECT p.id FROM picked p WHERE p.lane = r.lane))
          ELSE r.until END,
        CASE WHEN c.picked > 0 THEN lease.until END) AS due_at
      FROM room r JOIN counted c USING (lane), lease),
    marked AS (
      UPDATE delivery_lanes l SET due_at = coalesce(p.due_at, 'infinity'), not_before = CASE
          WHEN p.picked > 0 AND p.failures >= ${probesFrom} THEN now() + interval '${probeMs} milliseconds'
          WHEN p.picked > 0 AND p.spacing_ms > 0 THEN now() + make_interval(secs => p.spacing_ms / 1000.0)
          ELSE l.not_before END
      FROM planned p WHERE l.lane = p.lane)
    UPDATE deliveries d SET status = 'delivering', tries = d.tries + 1, next_attempt_at = lease.until
    FROM picked p, lease WHERE d.id = p.id
    RETURNING d.id, d.lane, d.key, d.partner_id AS "partnerId", d.org_id AS "orgId", d.payload, d.tries,
      (extract(epoch FROM d.began_at) * 1000)::float8 AS "beganAtMs"`,
}

const findDue = {
  name: 'find-due-lanes',
  text: `SELECT FROM delivery_lanes
    WHERE greatest(due_at, not_before) <= now() AND kind = ANY ($1::text[]) AND partner_id <> ALL ($2::uuid[]) LIMIT 1`,
}

/** Whether a claim may find something. One statement, because most looks find nothing. */
export async function isAnyDue(pool: pg.Pool, { kinds, withoutPartners }: Room): Promise<boolean> {
  const { rowCount } = await pool.query({ ...findDue, values: [kinds, withoutPartners] })
  return rowCount === 1
}

/** Leases deliveries that are due. */
export async function claimDue(pool: pg.Pool, room: Room): Promise<Claimed[]> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const claimed = await claimOn(client, room)
    await client.query('COMMIT')
    client.release()
    return claimed
  } catch (error) {
    // Closing the connection ends the transaction.
    client.release(true)
    throw error
  }
}

async function claimOn(client: pg.PoolClient, room: Room): Promise<Claimed[]> {
  const locked = await client.query<LockedLane>({
    ...lockLanes,
    values: [room.kinds, room.withoutPartners, room.failing, room.healthy],
  })
  if (locked.rows.length === 0) return []
  const lanes = new Map(locked.rows.map((lane) => [lane.lane, lane]))
  const { rows } = await client.query<Delivery & { readonly beganAtMs: number }>({
    ...takeDeliveries,
    values: [
      [...lanes.keys()],
      locked.rows.map(({ concurrency, failures }) => (failures > 0 ? 1 : concurrency)),
      locked.rows.map(({ spacingMs }) => spacingMs),
      locked.rows.map(({ failures }) => failures),
      room.leaseMs,
    ],
  })
  return rows.flatMap(({ beganAtMs, ...delivery }) => {
    const lane = lanes.get(delivery.lane)
    if (lane === undefined) return []
    const lastsUntilMs = lane.lastsMs === null ? null : beganAtMs + lane.lastsMs
    return [{ ...delivery, kind: lane.kind, isFailing: lane.failures > 0, lastsUntilMs }]
  })
}
