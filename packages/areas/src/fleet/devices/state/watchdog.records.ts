import { records } from '../../../background/record.ts'
import { changeEvents, type DevicePlace } from './device-changes.ts'

/** A report without news is written this seldom. */
const watchdogSeenMs = 5 * 60_000

const storeStatuses = {
  name: 'store-watchdogs',
  text: `UPDATE device_state d SET watchdog_status = n.watchdog_status, watchdog_seen_at = greatest(d.watchdog_seen_at, n.at),
      main_agent_silent_since = n.silent_since
    FROM (
      SELECT u.device_id, v.site_id, to_timestamp(u.at_ms / 1000) AS at,
        CASE WHEN u.state = 'failover' THEN 'failover' ELSE 'connected' END AS watchdog_status,
        CASE WHEN u.silent_ms IS NOT NULL THEN coalesce(o.main_agent_silent_since, to_timestamp((u.at_ms - u.silent_ms) / 1000))
             WHEN o.status = 'offline' THEN coalesce(o.main_agent_silent_since, o.status_at) END AS silent_since,
        o.watchdog_status AS status_before, o.main_agent_silent_since AS silent_before
      FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[]) AS u(device_id, state, silent_ms, at_ms)
      JOIN device_state o ON o.device_id = u.device_id JOIN devices v ON v.id = u.device_id
    ) n
    WHERE d.device_id = n.device_id AND d.watchdog_status IN ('connected', 'failover')
      AND (n.watchdog_status <> n.status_before OR n.silent_since IS DISTINCT FROM n.silent_before
        OR d.watchdog_seen_at IS NULL OR n.at > d.watchdog_seen_at + interval '${watchdogSeenMs} milliseconds')
    RETURNING d.device_id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", n.site_id AS "siteId",
      (extract(epoch FROM n.at) * 1000)::float8 AS "atMs",
      n.watchdog_status <> n.status_before OR n.silent_since IS DISTINCT FROM n.silent_before AS changed`,
}

/** Stores the state of the agent as its watchdog sees it. */
export const watchdogStatuses = records({
  names: ['watchdogStatus'],
  keep: 'latest',
  async store(client, reports) {
    const { rows } = await client.query<DevicePlace & { changed: boolean }>({
      ...storeStatuses,
      values: [
        reports.map(({ deviceId }) => deviceId),
        reports.map(({ body }) => body.agent),
        reports.map(({ body }) => (body.agent === 'running' ? null : (body.silentMs ?? null))),
        reports.map(({ atMs }) => atMs),
      ],
    })
    return {
      events: changeEvents(
        'watchdog',
        rows.filter(({ changed }) => changed),
      ),
    }
  },
})
