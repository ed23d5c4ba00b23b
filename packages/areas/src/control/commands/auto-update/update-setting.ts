// Whether a device updates its agent, as we keep it: offers follow that. The agent keeps its own, and is told by a command.
import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import type { Db } from '@muster/db/database.ts'
import { isOneOf } from '@muster/db/lists.ts'
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

/** Tells watchers that it was changed for these devices. */
export function tellOfSetting(
  { redis, clock }: Pick<Services, 'redis' | 'clock'>,
  targets: readonly Target[],
): Promise<unknown> {
  const event = { type: 'device.changed', at: clock.now(), changed: 'autoUpdate' } as const
  const byPartner = Map.groupBy(targets, ({ partnerId }) => partnerId)
  return Promise.all(
    [...byPartner].map(([partnerId, own]) => {
      const events = own.map(({ id: deviceId, orgId, siteId }): LiveEvent => ({ ...event, orgId, siteId, deviceId }))
      return publishLive(redis, partnerId, events)
    }),
  )
}
