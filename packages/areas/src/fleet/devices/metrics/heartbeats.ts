import { heartbeatFields } from '@muster/wire/messages/heartbeat.ts'
import type pg from 'pg'
import { type ChosenRows, encodeHeartbeatRows, type HeartbeatRead } from './heartbeat-rows.ts'

/** A resent heartbeat is compared with stored ones of this many hours around it. */
const twinSearchHours = 24

const figures = heartbeatFields.map(({ name }) => name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`))
const rowColumns = ['at', 'device_id', 'boot_id', 'sequence', ...figures]
const metricColumns = [...rowColumns, 'org_id', 'partner_id'].join(', ')
const fromRow = rowColumns.map((column) => `r.${column}`).join(', ')

// One statement updates the state and stores the row of each device, so that both have the organization and the partner that
// the device has now.
const storeNewest = {
  name: 'store-newest',
  text: `WITH fresh AS (
      UPDATE device_state d SET boot_id = r.boot_id, sequence = r.sequence, last_seen_at = greatest(d.last_seen_at, r.at),
        ${figures.map((column) => `${column} = r.${column}`).join(', ')}
      FROM unnest($1::heartbeat_row[]) r WHERE d.device_id = r.device_id
      RETURNING ${fromRow}, d.org_id, d.partner_id, d.status
    ), filed AS (
      INSERT INTO device_metrics (${metricColumns}) SELECT ${metricColumns} FROM fresh
    )
    SELECT count(*)::int AS stored, coalesce(array_agg(device_id) FILTER (WHERE status = 'offline'), '{}') AS quiet FROM fresh`,
}

const storeEarlier = {
  name: 'store-earlier',
  text: `INSERT INTO device_metrics (${metricColumns})
    SELECT ${fromRow}, d.org_id, d.partner_id FROM unnest($1::heartbeat_row[]) r JOIN device_state d ON d.device_id = r.device_id`,
}

// LATERAL with a limit makes the search for duplicates use the index of the device, regardless of the table statistics.
const storeLate = {
  name: 'store-late',
  text: `INSERT INTO device_metrics (${metricColumns})
    SELECT DISTINCT ON (r.device_id, r.boot_id, r.sequence) ${fromRow}, d.org_id, d.partner_id
    FROM unnest($1::heartbeat_row[]) r JOIN device_state d ON d.device_id = r.device_id
    LEFT JOIN LATERAL (
      SELECT true AS found FROM device_metrics m
      WHERE m.device_id = r.device_id AND m.boot_id = r.boot_id AND m.sequence = r.sequence
        AND m.at > r.at - interval '${twinSearchHours} hours' AND m.at < r.at + interval '${twinSearchHours} hours'
      LIMIT 1) twin ON true
    WHERE twin.found IS NULL
    ORDER BY r.device_id, r.boot_id, r.sequence, r.at`,
}

/** The heartbeats of one read, by how they are stored. */
export interface SortedHeartbeats {
  decoded: Pick<HeartbeatRead, 'devices' | 'heartbeats'>
  plan: { newest: readonly number[]; earlier: readonly number[]; late: readonly number[] }
}

export interface StoredHeartbeats {
  stored: number
  /** Late heartbeats that were stored before. */
  duplicates: number
  /** Rows of devices that no longer exist. */
  vanished: number
  /** Devices that sent a heartbeat although their status is offline. */
  quiet: string[]
}

/** Stores heartbeats: the newest row of a device becomes its state, all rows become its history. */
export async function storeHeartbeats(
  client: pg.PoolClient,
  rowType: number,
  reads: readonly SortedHeartbeats[],
): Promise<StoredHeartbeats> {
  const choose = (which: keyof SortedHeartbeats['plan']) =>
    reads.map(({ decoded, plan }): ChosenRows => ({ decoded, rows: plan[which] })).filter(({ rows }) => rows.length > 0)
  const run = <R extends pg.QueryResultRow>(
    statement: { name: string; text: string },
    chosen: readonly ChosenRows[],
  ) =>
    chosen.length === 0 ? undefined : client.query<R>({ ...statement, values: [encodeHeartbeatRows(rowType, chosen)] })
  const chosen = { newest: choose('newest'), earlier: choose('earlier'), late: choose('late') }
  const [newest, earlier, late] = await Promise.all([
    run<{ stored: number; quiet: string[] }>(storeNewest, chosen.newest),
    run(storeEarlier, chosen.earlier),
    run(storeLate, chosen.late),
  ])
  const storedNewest = newest?.rows[0]?.stored ?? 0
  const storedEarlier = earlier?.rowCount ?? 0
  const storedLate = late?.rowCount ?? 0
  return {
    stored: storedNewest + storedEarlier + storedLate,
    duplicates: countOf(chosen.late) - storedLate,
    vanished: countOf(chosen.newest) - storedNewest + countOf(chosen.earlier) - storedEarlier,
    quiet: newest?.rows[0]?.quiet ?? [],
  }
}

const countOf = (chosen: readonly ChosenRows[]) => chosen.reduce((sum, { rows }) => sum + rows.length, 0)

/** The OID of `heartbeat_row` in this database. */
export async function heartbeatRowType(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ type: number }>(`SELECT 'heartbeat_row'::regtype::oid::int AS type`)
  const [row] = rows
  if (row === undefined) throw new Error('The database has no type heartbeat_row')
  return row.type
}
