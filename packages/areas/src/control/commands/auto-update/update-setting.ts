// Whether agents update themselves. The server stores it with the device, because offers depend on it; a command tells the agent.
import type { Db } from '@muster/db/database.ts'
import { SetAutoUpdate } from '@muster/wire/commands/agent.ts'
import { setAutoUpdate } from '../../../fleet/devices/index.ts'
import { deviceChanged } from '../../../fleet/devices/state/device-events.contract.ts'
import { liveEvent, publishEvents } from '../../../platform/live-events/index.ts'
import type { Services } from '../../../services.ts'
import type { Target } from '../commands.queries.ts'

/** What is stored with a device when a command of some type is issued. */
export interface DeviceSetting {
  store(db: Db, deviceIds: readonly string[], payload: Readonly<Record<string, unknown>>): Promise<void>
  /** Publishes the change after the commit. */
  publish(services: Pick<Services, 'redis' | 'clock'>, targets: readonly Target[]): Promise<void>
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

export const autoUpdateSetting: DeviceSetting = {
  store: (db, deviceIds, payload) => setAutoUpdate(db, deviceIds, SetAutoUpdate.parse(payload).enabled),
  publish: publishSetting,
}
