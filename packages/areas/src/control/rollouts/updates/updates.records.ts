import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import type pg from 'pg'
import { type Received, records } from '../../../background/record.ts'
import { changeEvents, changeUpdating, type DevicePlace } from '../../../fleet/devices/index.ts'
import { insertEvents } from '../../../platform/events/index.ts'
import { agentUpdateFailed } from '../rollouts-events.contract.ts'

const reported = ['version', 'state', 'reason', 'error', 'from_version', 'reported_at']
// A report about a version other than the offered one is outdated. A refusal of a barred version does not replace the failure
// that barred it.
const isOutdated = `(s.rollout_id IS NOT NULL AND s.version <> excluded.version
  OR s.version = excluded.version AND s.state = 'rolled_back' AND excluded.state = 'refused' AND excluded.reason = 'barred')`

const writeReports = {
  name: 'store-update-reports',
  text: `WITH written AS (
    INSERT INTO device_updates AS s
      (device_id, org_id, partner_id, version, state, reason, error, from_version, reported_at, barred)
    SELECT u.device_id, d.org_id, d.partner_id, u.version, u.state, u.reason, u.error, u.from_version, to_timestamp(u.at_ms / 1000),
      CASE WHEN u.barred IS NULL THEN '{}' ELSE ARRAY(SELECT jsonb_array_elements_text(u.barred::jsonb)) END
    FROM unnest($1::uuid[], $2::float8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      AS u(device_id, at_ms, version, state, reason, error, from_version, barred)
    JOIN devices d ON d.id = u.device_id
    ORDER BY u.device_id
    ON CONFLICT (device_id) DO UPDATE SET
      ${reported.map((column) => `${column} = CASE WHEN ${isOutdated} THEN s.${column} ELSE excluded.${column} END`).join(', ')},
      barred = CASE WHEN s.device_id = ANY ($9::uuid[]) THEN excluded.barred ELSE s.barred END
    WHERE s.reported_at IS NULL OR s.reported_at <= excluded.reported_at
    RETURNING s.*
    ), placed AS (SELECT w.*, d.site_id, d.hostname FROM written w JOIN devices d ON d.id = w.device_id),
    failed AS (${insertEvents}
      SELECT '${agentUpdateFailed.name}', p.partner_id, p.org_id, p.site_id, p.device_id, p.reported_at,
        jsonb_build_object('hostname', p.hostname, 'version', p.version, 'state', p.state, 'reason', p.reason)
      FROM placed p LEFT JOIN device_updates before ON before.device_id = p.device_id
      WHERE p.state IN ('refused', 'rolled_back') AND (before.version, before.state) IS DISTINCT FROM (p.version, p.state))
    SELECT device_id AS "deviceId", org_id AS "orgId", partner_id AS "partnerId", site_id AS "siteId",
      (extract(epoch FROM reported_at) * 1000)::float8 AS "atMs" FROM placed`,
}

const busyStates: ReadonlySet<UpdateStatus['state']> = new Set(['downloading', 'verifying', 'installing', 'restarting'])

/** Stores the progress of updates, and shows the devices as updating meanwhile. */
export const updateReports = records({
  names: ['updateStatus'],
  keep: 'latest',
  // A report without barred versions leaves those of the earlier report valid.
  combine: (earlier, later) =>
    later.body.barred !== undefined || earlier.body.barred === undefined
      ? later
      : { ...later, body: { ...later.body, barred: earlier.body.barred } },
  async store(client, reports) {
    const updating = await changeUpdating(
      client,
      reports.map(({ deviceId, atMs, body }) => ({
        deviceId,
        // The device is not updating while a failed step waits for its retry.
        busy: busyStates.has(body.state) && body.reason === undefined,
        atMs,
      })),
    )
    return { events: [...updating, ...changeEvents('update', await storeReports(client, reports))] }
  },
})

async function storeReports(
  client: pg.PoolClient,
  reports: readonly Received<'updateStatus'>[],
): Promise<DevicePlace[]> {
  const bodies = reports.map(({ body }) => body)
  const { rows } = await client.query<DevicePlace>({
    ...writeReports,
    values: [
      reports.map(({ deviceId }) => deviceId),
      reports.map(({ atMs }) => atMs),
      bodies.map((body) => body.version),
      bodies.map((body) => body.state),
      bodies.map((body) => body.reason ?? null),
      bodies.map((body) => body.error ?? null),
      bodies.map((body) => body.fromVersion ?? null),
      bodies.map((body) => (body.barred === undefined ? null : JSON.stringify(body.barred))),
      reports.flatMap(({ deviceId, body }) => (body.barred === undefined ? [] : [deviceId])),
    ],
  })
  return rows
}
