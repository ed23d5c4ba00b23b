import type pg from 'pg'

const findDevices = {
  name: 'find-devices',
  text: `SELECT u.n::int AS n, d.partner_id, v.agent_version, v.agent_protocol, v.capabilities, d.boot_id, d.sequence, (extract(epoch FROM d.last_seen_at) * 1000)::float8 AS seen_ms
    FROM unnest($1::uuid[]) WITH ORDINALITY AS u(id, n) JOIN device_state d ON d.device_id = u.id JOIN devices v ON v.id = u.id`,
}

const findBoots = {
  name: 'find-boots',
  text: `SELECT u.n::int AS n, (
      SELECT max(m.sequence) FROM device_metrics m
      WHERE m.device_id = u.device_id AND m.boot_id = u.boot_id AND m.at > now() - interval '1 hour') AS sequence
    FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS u(device_id, boot_id, n)`,
}

const findPlaces = {
  name: 'find-tenants',
  text: `SELECT id AS "deviceId", org_id AS "orgId", partner_id AS "partnerId", site_id AS "siteId" FROM devices WHERE id = ANY($1::uuid[])`,
}

/** What is stored about a device and decides whether a heartbeat is new. */
export interface KnownRow {
  /** Position of the device in the question, from 1. */
  readonly n: number
  readonly partner_id: string
  readonly agent_version: string | null
  readonly agent_protocol: number | null
  readonly capabilities: string | null
  readonly boot_id: number
  readonly sequence: number
  readonly seen_ms: number | null
}

/** Devices that do not exist have no row. */
export async function readKnownDevices(pool: pg.Pool, deviceIds: readonly string[]): Promise<KnownRow[]> {
  const { rows } = await pool.query<KnownRow>({ ...findDevices, values: [deviceIds] })
  return rows
}

/** The highest stored sequence number of each boot, in the same order; 0 if there is none. */
export async function readSequences(
  pool: pg.Pool,
  boots: readonly { readonly deviceId: string; readonly bootId: number }[],
): Promise<number[]> {
  const { rows } = await pool.query<{ n: number; sequence: number | null }>({
    ...findBoots,
    values: [boots.map(({ deviceId }) => deviceId), boots.map(({ bootId }) => bootId)],
  })
  const found = new Map(rows.map(({ n, sequence }) => [n, sequence]))
  return boots.map((_, index) => found.get(index + 1) ?? 0)
}

/** The tenant of each device as of now. */
export async function readPlaces(pool: pg.Pool, deviceIds: readonly string[]) {
  const { rows } = await pool.query<{ deviceId: string; orgId: string; partnerId: string; siteId: string | null }>({
    ...findPlaces,
    values: [deviceIds],
  })
  return rows
}
