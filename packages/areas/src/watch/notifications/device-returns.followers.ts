import { type Db, handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { follower } from '../../background/follower.ts'
import { deviceOnline } from '../../fleet/devices/devices-events.contract.ts'
import type { PartnerEvent } from '../../platform/live-events/index.ts'
import { type Notice, notify } from './notify.ts'

interface Returned {
  readonly deviceId: string
  readonly name: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string | null
  readonly userIds: string[]
}

/** Tells people who waited for these devices, once. Those who no longer see a device hear nothing. */
export async function tellReturns(db: Db, deviceIds: readonly string[]): Promise<PartnerEvent[]> {
  const { rows } = await sql<Returned>`WITH ended AS (
      DELETE FROM device_watches WHERE device_id = ANY (${[...new Set(deviceIds)]}::uuid[]) RETURNING device_id, user_id)
    SELECT d.id AS device_id, coalesce(d.display_name, d.hostname) AS name, d.partner_id, d.org_id, d.site_id, array_agg(e.user_id) AS user_ids
    FROM ended e JOIN devices d ON d.id = e.device_id GROUP BY d.id`.execute(db)
  return notify(
    db,
    rows.map(
      ({ deviceId, name, partnerId, orgId, siteId, userIds }): Notice => ({
        partnerId,
        orgId,
        type: 'device',
        subjects: [
          {
            priority: 'normal',
            title: `${name} is online again`,
            link: { kind: 'device', id: deviceId },
            siteId,
            deviceId,
          },
        ],
        key: `device-return:${deviceId}`,
        audience: { userIds, permission: 'devices:read' },
      }),
    ),
  )
}

export const deviceReturns = follower({
  name: 'device-returns',
  types: [deviceOnline],
  batchMax: 2_000,
  handle: async (client, events) => ({
    events: await tellReturns(
      handleOn(client),
      events.flatMap(({ deviceId }) => deviceId ?? []),
    ),
  }),
})
