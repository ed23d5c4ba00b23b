import type pg from 'pg'
import type { Owned, UpdateStatusRecord } from './decoded.ts'
import type { DeviceChange } from './inventory.ts'

const said = ['version', 'state', 'reason', 'error', 'from_version', 'reported_at']
// A report about another version than the one on offer is an old one. And that a version is barred says less than the
// failure that barred it.
const isOldNews = `(s.rollout_id IS NOT NULL AND s.version <> excluded.version
  OR s.version = excluded.version AND s.state = 'rolled_back' AND excluded.state = 'refused' AND excluded.reason = 'barred')`

const storeReports = {
  name: 'store-update-reports',
  text: `INSERT INTO device_updates AS s
      (device_id, org_id, partner_id, version, state, reason, error, from_version, reported_at, barred)
    SELECT u.device_id, d.org_id, d.partner_id, u.version, u.state, u.reason, u.error, u.from_version, to_timestamp(u.at_ms / 1000),
      CASE WHEN u.barred IS NULL THEN '{}' ELSE ARRAY(SELECT jsonb_array_elements_text(u.barred::jsonb)) END
    FROM unnest($1::uuid[], $2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      AS u(device_id, at_ms, version, state, reason, error, from_version, barred)
    JOIN devices d ON d.id = u.device_id
    ORDER BY u.device_id
    ON CONFLICT (device_id) DO UPDATE SET
      ${said.map((column) => `${column} = CASE WHEN ${isOldNews} THEN s.${column} ELSE excluded.${column} END`).join(', ')},
      barred = CASE WHEN s.device_id = ANY ($9::uuid[]) THEN excluded.barred ELSE s.barred END
    WHERE s.reported_at IS NULL OR s.reported_at <= excluded.reported_at
    RETURNING s.device_id AS "deviceId", s.org_id AS "orgId", s.partner_id AS "partnerId",
      (SELECT site_id FROM devices WHERE id = s.device_id) AS "siteId", (extract(epoch FROM s.reported_at) * 1000)::float8 AS "atMs"`,
}

/** Stores what devices say of their updates, at most one report of each. */
export async function storeUpdateReports(
  client: pg.PoolClient,
  records: readonly Owned<UpdateStatusRecord>[],
): Promise<DeviceChange[]> {
  if (records.length === 0) return []
  const bodies = records.map(({ record }) => record.body)
  const { rows } = await client.query<Omit<DeviceChange, 'changed'>>({
    ...storeReports,
    values: [
      records.map(({ deviceId }) => deviceId),
      records.map(({ record }) => record.atMs),
      bodies.map((body) => body.version),
      bodies.map((body) => body.state),
      bodies.map((body) => body.reason ?? null),
      bodies.map((body) => body.error ?? null),
      bodies.map((body) => body.fromVersion ?? null),
      bodies.map((body) => (body.barred === undefined ? null : JSON.stringify(body.barred))),
      records.flatMap(({ deviceId, record }) => (record.body.barred === undefined ? [] : [deviceId])),
    ],
  })
  return rows.map((row): DeviceChange => ({ ...row, changed: 'update' }))
}
