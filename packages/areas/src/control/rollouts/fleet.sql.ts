import { type RawBuilder, sql } from 'kysely'
import { place } from '../../fleet/devices/index.ts'

/** The properties of a rollout that decide which devices it reaches. */
export interface Going {
  readonly id: string
  readonly version: string
  /** Out of ten thousand. */
  readonly reach: number
}

/** Whether `built` is an executable of the version for the system of `devices`. */
export const executableFor = (version: string) => sql<boolean>`(built.kind = 'agent' AND built.version = ${version}
  AND built.os = CASE devices.os_type WHEN 'macos' THEN 'darwin' ELSE devices.os_type END
  AND built.arch = CASE devices.architecture WHEN 'x86_64' THEN 'x64' WHEN 'amd64' THEN 'x64' WHEN 'aarch64' THEN 'arm64' ELSE devices.architecture END)`

/** Whether the version has an executable for the device. */
export const isBuilt = (version: string): RawBuilder<boolean> =>
  sql`EXISTS (SELECT FROM agent_versions built WHERE ${executableFor(version)})`

/** The pin that counts for a device: that of a group before that of its site, and this before that of its organization. */
export const pinOf: RawBuilder<unknown> = sql`(
  SELECT pin.id, pin.version FROM agent_version_pins pin
  WHERE pin.org_id = devices.org_id AND (pin.site_id IS NULL OR pin.site_id = devices.site_id)
    AND (pin.group_id IS NULL OR EXISTS (
      SELECT FROM device_group_members m WHERE m.group_id = pin.group_id AND m.device_id = devices.id))
  ORDER BY pin.group_id IS NULL, pin.site_id IS NULL, pin.created_at DESC, pin.id LIMIT 1)`

/** Devices that a rollout includes now, connected or not: `FROM … WHERE …` over `devices`, `built` and `updates`. */
export const meantFor = ({ version, reach }: Going): RawBuilder<unknown> => sql`
  FROM devices JOIN agent_versions built ON ${executableFor(version)}
  JOIN organizations ON organizations.id = devices.org_id AND organizations.deleted_at IS NULL
  LEFT JOIN device_updates updates ON updates.device_id = devices.id
  LEFT JOIN LATERAL ${pinOf} pinned ON true
  WHERE devices.lifecycle = 'active' AND devices.auto_update AND ${place(version)} < ${reach}
    AND (pinned.id IS NULL OR pinned.version = ${version})`

/** Whether a device runs an older version. Agents are never downgraded. */
export const runsOlder = (version: string): RawBuilder<boolean> =>
  sql`coalesce(agent_version_order(devices.agent_version), '{}') < agent_version_order(${version})`

/** Refusals that are not failures of the version. */
const innocent = [
  'auto_update_off',
  'cannot_replace_itself',
  'expired_offer',
  'disk_full',
  'file_locked',
  'download_failed',
]

/** An updating device without a report counts as lost after this time. */
const lostMinutes = 10

/** Whether a device succeeded, as a condition on `devices` and `updates`. */
export const hasSucceeded = (version: string): RawBuilder<boolean> =>
  sql`(devices.agent_version = ${version} AND updates.state NOT IN ('rolled_back', 'refused'))`
export const hasFailed = (version: string): RawBuilder<boolean> => sql`(NOT ${hasSucceeded(version)} AND (
  updates.state = 'rolled_back'
  OR updates.state = 'refused' AND coalesce(updates.reason, '') <> ALL (${innocent})
  OR updates.state IN ('installing', 'restarting') AND updates.reported_at < now() - make_interval(mins => ${lostMinutes})))`
