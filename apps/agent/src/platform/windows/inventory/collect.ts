import { collectSections } from '../../collect-sections.ts'
import { native } from '../thread/native-thread.ts'
import { collectDisks } from './disks.ts'
import { collectDrivers } from './drivers.ts'
import { collectHardware } from './hardware.ts'
import { pendingRestart } from './restart.ts'
import { collectSoftware } from './software.ts'
import { collectUpdates } from './updates.ts'

/** The servicing of Windows reads its whole store first. */
const featuresTimeoutMs = 60_000

/** Runs in a process of its own. Calls that may never return run on threads of it, so that the rest is reported. */
export const collectInventory = () =>
  collectSections({
    hardware: collectHardware,
    disks: collectDisks,
    network: () => native('listInterfaces', []).catch(() => []),
    software: collectSoftware,
    services: async () =>
      (await native('listServices', []).catch(() => ({ services: [] }))).services.map(
        ({ name, displayName, state, startup }) => ({
          name: name.slice(0, 255),
          displayName: displayName?.slice(0, 255),
          state,
          startup: startup ?? undefined,
        }),
      ),
    users: () => native('listUsers', []).catch(() => []),
    system: async () => ({
      pendingRestart: pendingRestart(),
      drivers: await collectDrivers().catch(() => undefined),
      updates: collectUpdates(),
      features: await native('listFeatures', [], featuresTimeoutMs).catch(() => undefined),
      membership: await native('membership', []).catch(() => undefined),
    }),
  })
