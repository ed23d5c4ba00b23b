import type pg from 'pg'
import type { StatusChange } from './device-changes.ts'
import { insertStatusEvents } from './device-status.ts'

/** Devices per statement that changes statuses. */
export const statusRowsPerStatement = 5_000
/** A device that is online but was not seen for this long may be gone. */
const silentDeviceMs = 180_000
const updatingMaxMs = 5 * 60_000

const statusColumns = `d.device_id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", v.site_id AS "siteId",
  d.status, (extract(epoch FROM d.status_at) * 1000)::float8 AS "atMs"`

/** Sets devices to `offline` whose update takes too long. */
export async function endOverdueUpdates(pool: pg.Pool): Promise<StatusChange[]> {
  const { rows } = await pool.query<StatusChange>({
    name: 'end-overdue-updates',
    text: `WITH changed AS (
      UPDATE device_state d SET status = 'offline', status_at = now(), updating_since = NULL,
        main_agent_silent_since = CASE WHEN d.watchdog_status IN ('connected', 'failover') THEN coalesce(d.main_agent_silent_since, now()) END
      FROM devices v
      WHERE v.id = d.device_id AND d.status = 'updating'
        AND coalesce(d.updating_since, d.status_at) < now() - interval '${updatingMaxMs} milliseconds'
      RETURNING d.*, v.site_id, v.hostname, d.status_at AS at, 'updating' AS before,
        d.main_agent_silent_since IS NOT NULL AS is_silent, false AS was_silent, v.lifecycle <> 'decommissioned' AS is_in_use
      ), stored AS (${insertStatusEvents})
      SELECT device_id AS "deviceId", org_id AS "orgId", partner_id AS "partnerId", site_id AS "siteId", status,
        (extract(epoch FROM status_at) * 1000)::float8 AS "atMs" FROM changed`,
  })
  return rows
}

/** Sets decommissioned devices to `offline`. */
export async function endDecommissioned(pool: pg.Pool): Promise<StatusChange[]> {
  const { rows } = await pool.query<StatusChange>({
    name: 'end-decommissioned',
    text: `UPDATE device_state d SET status = 'offline', status_at = now(), node = NULL, main_agent_silent_since = NULL FROM devices v
      WHERE v.id = d.device_id AND d.status <> 'offline' AND v.lifecycle = 'decommissioned'
      RETURNING ${statusColumns}`,
  })
  return rows
}

/** What a node holds of a device, by the stored state. */
export interface HeldDevice {
  readonly device_id: string
  readonly agent: boolean | null
  readonly watchdog: boolean | null
}

export async function devicesOfNode(pool: pg.Pool, node: string): Promise<HeldDevice[]> {
  const { rows } = await pool.query<HeldDevice>({
    name: 'find-devices-of-node',
    text: `SELECT device_id, node = $1 AS agent, watchdog_node = $1 AS watchdog FROM device_state
      WHERE node = $1 OR watchdog_node = $1`,
    values: [node],
  })
  return rows
}

/** The nodes that hold devices, by the stored state. */
export async function nodesOfDevices(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ node: string }>({
    name: 'find-nodes',
    text: `SELECT node FROM device_state WHERE node IS NOT NULL
      UNION SELECT watchdog_node FROM device_state WHERE watchdog_node IS NOT NULL`,
  })
  return rows.map(({ node }) => node)
}

/** Devices that are online but were not seen for some heartbeat intervals. */
export async function silentDevices(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ device_id: string }>({
    name: 'find-silent',
    text: `SELECT device_id FROM device_state WHERE status = 'online'
      AND greatest(last_seen_at, status_at) < now() - interval '${silentDeviceMs} milliseconds'
      LIMIT ${statusRowsPerStatement}`,
  })
  return rows.map((row) => row.device_id)
}
