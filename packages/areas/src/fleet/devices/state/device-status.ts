import type pg from 'pg'
import { insertEvents } from '../../../platform/events/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { agentSilent, deviceOffline, deviceOnline } from '../devices-events.contract.ts'
import { changeEvents, type DevicePlace, type StatusChange, statusEvents } from './device-changes.ts'

/** The decision about the status of one device. */
export interface Verdict {
  deviceId: string
  /** null leaves the status as it is. */
  status: 'online' | 'offline' | null
  atMs: number
  /** When the device was last seen, if known. */
  seenAtMs: number | null
  /** Where the agent connected from, if that is known. */
  remoteAddress: string | null
  node: string | null
  watchdog: 'connected' | 'disconnected' | null
  watchdogNode: string | null
}

/** A verdict without changes. */
export const noVerdict = (deviceId: string, atMs: number): Verdict => ({
  deviceId,
  status: null,
  atMs,
  seenAtMs: null,
  remoteAddress: null,
  node: null,
  watchdog: null,
  watchdogNode: null,
})

/** Stores the events of rows that a query named `changed` returns. The disconnect of an update is no event. */
export const insertStatusEvents = `${insertEvents}
  SELECT event.type, partner_id, org_id, site_id, device_id, at, jsonb_build_object('hostname', hostname)
  FROM changed CROSS JOIN LATERAL (VALUES
    ('${deviceOnline.name}', status = 'online' AND before = 'offline'),
    ('${deviceOffline.name}', status = 'offline' AND before <> 'offline'),
    ('${agentSilent.name}', is_silent AND NOT was_silent)) AS event(type, happened)
  WHERE is_in_use AND event.happened`

// An update outlasts the disconnect that it causes; a decommissioned device never comes online.
const applyVerdicts = {
  name: 'apply-verdicts',
  text: `WITH changed AS (
    UPDATE device_state d SET
      status = n.after,
      status_at = CASE WHEN n.after <> n.before THEN n.at ELSE d.status_at END,
      node = CASE WHEN n.after = 'offline' OR n.verdict = 'offline' THEN NULL WHEN n.verdict = 'online' THEN n.node ELSE d.node END,
      last_seen_at = greatest(d.last_seen_at, n.seen_at),
      remote_address = coalesce(n.remote_address, d.remote_address),
      updating_since = CASE WHEN n.after = 'updating' THEN d.updating_since END,
      watchdog_status = n.watchdog_after,
      watchdog_node = CASE n.watchdog WHEN 'connected' THEN n.watchdog_node WHEN 'disconnected' THEN NULL ELSE d.watchdog_node END,
      watchdog_seen_at = CASE WHEN n.watchdog IS NULL THEN d.watchdog_seen_at ELSE greatest(d.watchdog_seen_at, n.at) END,
      main_agent_silent_since = CASE WHEN n.after = 'offline' AND n.watchdog_after IN ('connected', 'failover') AND n.is_in_use
        THEN coalesce(d.main_agent_silent_since, CASE WHEN n.before <> 'offline' THEN n.at ELSE d.status_at END) END
    FROM (
      SELECT u.device_id, u.verdict, u.node, u.watchdog, u.watchdog_node, u.remote_address, o.status AS before, v.site_id, v.hostname,
        o.watchdog_status AS watchdog_before, o.main_agent_silent_since AS silent_before, v.lifecycle <> 'decommissioned' AS is_in_use,
        CASE WHEN u.watchdog = 'connected' AND o.watchdog_status = 'failover' THEN o.watchdog_status
             ELSE coalesce(u.watchdog, o.watchdog_status) END AS watchdog_after,
        to_timestamp(u.at_ms / 1000) AS at, to_timestamp(u.seen_at_ms / 1000) AS seen_at,
        CASE WHEN v.lifecycle = 'decommissioned' THEN 'offline'
             WHEN u.verdict IS NULL THEN o.status
             WHEN u.verdict = 'offline' AND o.status = 'updating' THEN o.status
             ELSE u.verdict END AS after
      FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::text[])
        AS u(device_id, verdict, at_ms, seen_at_ms, node, watchdog, watchdog_node, remote_address)
      JOIN device_state o ON o.device_id = u.device_id JOIN devices v ON v.id = u.device_id
    ) n
    WHERE d.device_id = n.device_id
    RETURNING d.device_id, d.org_id, d.partner_id, n.site_id, n.hostname, n.is_in_use, d.status, n.before, n.at,
      d.main_agent_silent_since IS NOT NULL AS is_silent, n.silent_before IS NOT NULL AS was_silent,
      d.watchdog_status IS DISTINCT FROM n.watchdog_before
        OR d.main_agent_silent_since IS DISTINCT FROM n.silent_before AS watchdog_changed
    ), stored AS (${insertStatusEvents})
    SELECT device_id AS "deviceId", org_id AS "orgId", partner_id AS "partnerId", site_id AS "siteId", status,
      (extract(epoch FROM at) * 1000)::float8 AS "atMs", before <> status AS changed, watchdog_changed AS "watchdogChanged"
    FROM changed`,
}

/** What verdicts changed. */
export interface VerdictChanges {
  readonly statuses: StatusChange[]
  /** Devices of which the state of the watchdog changed. */
  readonly watchdogs: DevicePlace[]
}

export const verdictEvents = ({ statuses, watchdogs }: VerdictChanges): PartnerEvent[] => [
  ...statusEvents(statuses),
  ...changeEvents('watchdog', watchdogs),
]

/** Applies verdicts, at most one per device. */
export async function changeStatuses(
  client: pg.PoolClient | pg.Pool,
  verdicts: readonly Verdict[],
): Promise<VerdictChanges> {
  if (verdicts.length === 0) return { statuses: [], watchdogs: [] }
  const { rows } = await client.query<StatusChange & { changed: boolean; watchdogChanged: boolean }>({
    ...applyVerdicts,
    values: [
      verdicts.map((verdict) => verdict.deviceId),
      verdicts.map((verdict) => verdict.status),
      verdicts.map((verdict) => verdict.atMs),
      verdicts.map((verdict) => verdict.seenAtMs),
      verdicts.map((verdict) => verdict.node),
      verdicts.map((verdict) => verdict.watchdog),
      verdicts.map((verdict) => verdict.watchdogNode),
      verdicts.map((verdict) => verdict.remoteAddress),
    ],
  })
  const changes: VerdictChanges = { statuses: [], watchdogs: [] }
  for (const { changed, watchdogChanged, ...change } of rows) {
    const { status: _, ...place } = change
    if (changed) changes.statuses.push(change)
    if (watchdogChanged) changes.watchdogs.push(place)
  }
  return changes
}

const applyUpdates = {
  name: 'apply-updates',
  text: `UPDATE device_state d SET
      status = n.after,
      status_at = CASE WHEN n.after <> n.before THEN n.at ELSE d.status_at END,
      updating_since = CASE WHEN n.after = 'updating' THEN coalesce(d.updating_since, n.at) END
    FROM (
      SELECT u.device_id, o.status AS before, v.site_id, to_timestamp(u.at_ms / 1000) AS at,
        CASE WHEN u.busy AND o.status = 'online' THEN 'updating'
             WHEN NOT u.busy AND o.status = 'updating' THEN 'online'
             ELSE o.status END AS after
      FROM unnest($1::uuid[], $2::boolean[], $3::float8[]) AS u(device_id, busy, at_ms)
      JOIN device_state o ON o.device_id = u.device_id JOIN devices v ON v.id = u.device_id
    ) n
    WHERE d.device_id = n.device_id AND n.after <> n.before
    RETURNING d.device_id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", n.site_id AS "siteId",
      d.status, (extract(epoch FROM n.at) * 1000)::float8 AS "atMs"`,
}

/** Sets devices that replace their agent to `updating`, and back to `online` afterward. */
export async function changeUpdating(
  client: pg.PoolClient,
  updates: readonly { deviceId: string; busy: boolean; atMs: number }[],
): Promise<PartnerEvent[]> {
  if (updates.length === 0) return []
  const { rows } = await client.query<StatusChange>({
    ...applyUpdates,
    values: [
      updates.map((update) => update.deviceId),
      updates.map((update) => update.busy),
      updates.map((update) => update.atMs),
    ],
  })
  return statusEvents(rows)
}
