// What configuration policies set on devices. Commands and agents follow what is stored here.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { setAutoUpdate } from '../../../fleet/devices/index.ts'
import { deviceChanged } from '../../../fleet/devices/state/device-events.contract.ts'
import { liveEvent, type PartnerEvent } from '../../../platform/live-events/index.ts'

/** A field is null if no policy sets it. */
export interface DeviceSettings {
  readonly heartbeatSeconds: number | null
  readonly autoUpdate: boolean | null
  readonly scriptsAllowed: boolean | null
}

interface Given {
  readonly deviceId: string
  readonly settings: DeviceSettings
}

/**
 * Stores what policies set on these devices. Agents hear of them within seconds, or when they connect.
 * @param db of the system login
 * @returns events to publish after the commit
 */
export async function setDeviceSettings(db: Db, given: readonly Given[]): Promise<PartnerEvent[]> {
  if (given.length === 0) return []
  // A device that never had settings gets no row without any.
  const { rows } = await sql<{ deviceId: string; autoUpdate: boolean }>`
    INSERT INTO device_settings AS s (device_id, org_id, partner_id, heartbeat_seconds, auto_update, scripts_allowed, own_auto_update)
    SELECT d.id, d.org_id, d.partner_id, g.heartbeat_seconds, g.auto_update, g.scripts_allowed, d.auto_update
    FROM unnest(${given.map(({ deviceId }) => deviceId)}::uuid[], ${given.map(({ settings }) => settings.heartbeatSeconds)}::int[],
      ${given.map(({ settings }) => settings.autoUpdate)}::boolean[], ${given.map(({ settings }) => settings.scriptsAllowed)}::boolean[])
      AS g (device_id, heartbeat_seconds, auto_update, scripts_allowed)
    JOIN devices d ON d.id = g.device_id
    WHERE num_nonnulls(g.heartbeat_seconds, g.auto_update, g.scripts_allowed) > 0
      OR EXISTS (SELECT FROM device_settings o WHERE o.device_id = d.id)
    ORDER BY d.id
    ON CONFLICT (device_id) DO UPDATE SET heartbeat_seconds = excluded.heartbeat_seconds,
      auto_update = excluded.auto_update, scripts_allowed = excluded.scripts_allowed, due_at = now(),
      own_auto_update = CASE WHEN s.auto_update IS NULL THEN excluded.own_auto_update ELSE s.own_auto_update END
    WHERE (s.heartbeat_seconds, s.auto_update, s.scripts_allowed)
      IS DISTINCT FROM (excluded.heartbeat_seconds, excluded.auto_update, excluded.scripts_allowed)
    RETURNING device_id, coalesce(auto_update, own_auto_update) AS auto_update`.execute(db)
  return (await Promise.all([true, false].map((enabled) => followAutoUpdate(db, rows, enabled)))).flat()
}

/** @returns events about the devices that changed */
async function followAutoUpdate(
  db: Db,
  rows: readonly { readonly deviceId: string; readonly autoUpdate: boolean }[],
  enabled: boolean,
): Promise<PartnerEvent[]> {
  const ids = rows.flatMap(({ deviceId, autoUpdate }) => (autoUpdate === enabled ? [deviceId] : []))
  if (ids.length === 0) return []
  const others = await db
    .selectFrom('devices')
    .select(['id', 'orgId', 'siteId', 'partnerId'])
    .where(isOneOf('id', ids))
    .where('autoUpdate', '<>', enabled)
    .execute()
  await setAutoUpdate(
    db,
    others.map(({ id }) => id),
    enabled,
  )
  const at = Date.now()
  return others.map(({ id: deviceId, orgId, siteId, partnerId }) =>
    liveEvent(deviceChanged, partnerId, { orgId, siteId, deviceId, at, changed: 'autoUpdate' }),
  )
}
