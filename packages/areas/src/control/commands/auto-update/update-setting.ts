// Whether a device updates its agent, as we keep it: offers follow that. The agent keeps its own, and is told by a command.
import type { Db } from '@muster/db/database.ts'
import { isOneOf } from '@muster/db/lists.ts'
import { deviceChanged } from '../../../fleet/devices/state/device-events.contract.ts'
import { liveEvent, publishEvents } from '../../../platform/live-events/index.ts'
import type { Services } from '../../../services.ts'
import type { Target } from '../commands.queries.ts'

/**
 * Row after row in one order, so that two requests for the same devices never wait for each other in a circle. Rows that say
 * so already are held like the others, and not written anew.
 */
export async function keepSetting(db: Db, deviceIds: readonly string[], enabled: boolean): Promise<void> {
  await db
    .with('told', (query) =>
      query
        .selectFrom('devices')
        .select(['id', 'autoUpdate'])
        .where(isOneOf('id', deviceIds))
        .orderBy('id')
        .forNoKeyUpdate(),
    )
    .updateTable('devices')
    .from('told')
    .set({ autoUpdate: enabled })
    .whereRef('devices.id', '=', 'told.id')
    .where('told.autoUpdate', '<>', enabled)
    .execute()
}

/** Publishes that the setting of these devices changed. */
export function publishSetting(
  { redis, clock }: Pick<Services, 'redis' | 'clock'>,
  targets: readonly Target[],
): Promise<void> {
  const at = clock.now()
  const events = targets.map(({ id: deviceId, orgId, siteId, partnerId }) =>
    liveEvent(deviceChanged, partnerId, { orgId, siteId, deviceId, at, changed: 'autoUpdate' }),
  )
  return publishEvents(redis, events)
}
