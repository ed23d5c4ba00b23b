// Hands the settings in effect to where they act.
import type { Db } from '@muster/db/database.ts'
import { setDeviceSettings } from '../../../control/commands/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import type { Settings } from './settings.contract.ts'

interface Planned {
  readonly device: { readonly id: string }
  readonly plan: { readonly settings: Settings }
}

/** Sets what the policies of these devices say now. @returns events to publish after the commit */
export const setSettings = (db: Db, devices: readonly Planned[]): Promise<PartnerEvent[]> =>
  setDeviceSettings(
    db,
    devices.map(({ device, plan: { settings } }) => ({
      deviceId: device.id,
      settings: {
        heartbeatSeconds: settings['agent.heartbeatSeconds'] ?? null,
        autoUpdate: settings['agent.autoUpdate'] ?? null,
        scriptsAllowed: settings['scripts.allowed'] ?? null,
      },
    })),
  )
