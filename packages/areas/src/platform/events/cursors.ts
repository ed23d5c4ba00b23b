// How far each follower has read the events.
import { inTransaction } from '@muster/db/transaction.ts'
import type pg from 'pg'
import type { Follower } from '../../background/follower.ts'
import type { StoredEvent } from './event-type.contract.ts'

/** A transaction that stores events ends within this time. It limits how many partitions a read looks at. */
const transactionMax = '1 day'
const thisCluster = '(SELECT system_identifier::text FROM pg_control_system())'

export interface Cursor {
  readonly tx: string
  readonly seq: number
  readonly beganAfter: string | null
  readonly readAt: string
  /** Fewer events per transaction than usual, after a failure. */
  readonly batchMax: number | null
  readonly failures: number
}

/** An event with its place in the order of commits. */
export interface PlacedEvent extends StoredEvent {
  readonly tx: string
  readonly seq: number
  /** Its transaction had committed when the follower began. */
  readonly isBeforeStart: boolean
}

/** Creates the cursors of new followers at the present. */
export async function beginCursors(pool: pg.Pool, followers: readonly string[]): Promise<void> {
  await adoptRestored(pool)
  await pool.query(
    `INSERT INTO event_cursors (follower, cluster, tx, seq, seen, began_after)
     SELECT name, ${thisCluster}, pg_snapshot_xmin(pg_current_snapshot()), 0, (SELECT last_value FROM events_seq),
       pg_current_snapshot()
     FROM unnest($1::text[]) AS name ON CONFLICT DO NOTHING`,
    [followers],
  )
}

/** Continues after a restore into another cluster, whose transaction ids differ from the stored ones. */
export const adoptRestored = (pool: pg.Pool): Promise<void> =>
  inTransaction(pool, async (client) => {
    await client.query('SET LOCAL statement_timeout = 0')
    const { rows } = await client.query<{ adopted: boolean }>(`SELECT adopt_events(${thisCluster}) AS adopted`)
    if (rows[0]?.adopted === true) await client.query('UPDATE event_cursors SET began_after = NULL')
  })

/** Followers with unread events, and whether the database was restored into another cluster. */
export async function dueFollowers(
  pool: pg.Pool,
  followers: readonly string[],
): Promise<{ due: string[]; isRestored: boolean }> {
  const { rows } = await pool.query<{ follower: string; isDue: boolean; isRestored: boolean }>({
    name: 'due-followers',
    text: `WITH newest AS MATERIALIZED (
        SELECT tx, seq FROM events
        WHERE tx < pg_snapshot_xmin(pg_current_snapshot())
          AND stored_at > (SELECT min(read_at) FROM event_cursors WHERE follower = ANY ($1)) - interval '${transactionMax}'
        ORDER BY tx DESC, seq DESC LIMIT 1)
      SELECT c.follower, c.cluster <> ${thisCluster} AS "isRestored",
        coalesce((n.tx, n.seq) > (c.tx, c.seq), false) AND coalesce(c.retry_at <= now(), true) AS "isDue"
      FROM event_cursors c LEFT JOIN newest n ON true WHERE c.follower = ANY ($1)`,
    values: [followers],
  })
  return {
    due: rows.flatMap(({ follower, isDue }) => (isDue ? [follower] : [])),
    isRestored: rows.some((row) => row.isRestored),
  }
}

/** Takes the right to read for a follower until the transaction ends. @returns null while another worker has it */
export async function claimCursor(client: pg.PoolClient, follower: string): Promise<Cursor | null> {
  const lock = await client.query<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('event-follower ' || $1, 0)) AS mine`,
    [follower],
  )
  if (lock.rows[0]?.mine !== true) return null
  const { rows } = await client.query<Cursor>({
    name: 'read-cursor',
    text: `SELECT tx::text, seq, began_after::text AS "beganAfter", read_at AS "readAt",
        batch_max AS "batchMax", failures FROM event_cursors
      WHERE follower = $1 AND cluster = ${thisCluster} AND coalesce(retry_at <= now(), true)`,
    values: [follower],
  })
  return rows[0] ?? null
}

/** The next events in the order of commits. The data of other types is empty. */
export async function readEvents(
  client: pg.PoolClient,
  cursor: Cursor,
  types: readonly string[] | null,
  limit: number,
): Promise<PlacedEvent[]> {
  const { rows } = await client.query<PlacedEvent>({
    name: 'read-events',
    text: `SELECT tx::text, seq, id, type, partner_id AS "partnerId", org_id AS "orgId", site_id AS "siteId",
        device_id AS "deviceId", at, CASE WHEN $4::text[] IS NULL OR type = ANY ($4) THEN data ELSE '{}' END AS data, cause,
        coalesce(pg_visible_in_snapshot(tx, $6::pg_snapshot), false) AS "isBeforeStart"
      FROM events
      WHERE (tx, seq) > ($1::xid8, $2::bigint) AND tx < pg_snapshot_xmin(pg_current_snapshot())
        AND stored_at > $3::timestamptz - interval '${transactionMax}'
      ORDER BY events.tx, seq LIMIT $5`,
    values: [cursor.tx, cursor.seq, cursor.readAt, types, limit, cursor.beganAfter],
  })
  return rows
}

/** Moves the cursor behind the events that were read. */
export async function moveCursor(
  client: pg.PoolClient,
  { name, batchMax }: Pick<Follower, 'name' | 'batchMax'>,
  read: readonly PlacedEvent[],
): Promise<void> {
  const last = read.at(-1)
  if (last === undefined) return
  await client.query({
    name: 'move-cursor',
    text: `UPDATE event_cursors SET tx = $2::xid8, seq = $3, seen = greatest(seen, $4), read_at = now(), failures = 0,
        retry_at = NULL, error = NULL, batch_max = CASE WHEN batch_max * 2 < $5 THEN batch_max * 2 END
      WHERE follower = $1`,
    values: [name, last.tx, last.seq, Math.max(...read.map(({ seq }) => seq)), batchMax],
  })
}

/** Lets the follower wait, and read fewer events next time if `batchMax` is given. */
export async function postpone(
  pool: pg.Pool,
  follower: string,
  { delayMs, failures, batchMax, error }: { delayMs: number; failures: number; batchMax: number | null; error: string },
): Promise<void> {
  await pool.query(
    `UPDATE event_cursors SET retry_at = now() + $2 * interval '1 millisecond', failures = $3, batch_max = $4, error = $5
     WHERE follower = $1`,
    [follower, delayMs, failures, batchMax, error.slice(0, 1_000)],
  )
}
