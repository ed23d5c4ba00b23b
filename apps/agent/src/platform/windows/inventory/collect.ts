import { collectSections } from '../../collect-sections.ts'
import { listServices } from '../calls/services.ts'
import { collectDisks, collectHardware } from './hardware.ts'
import { collectNetwork } from './network.ts'
import { collectSoftware } from './software.ts'
import { collectUsers } from './users.ts'

/** Runs in a process of its own, so its calls may block. */
export const collectInventory = () =>
  collectSections({
    hardware: collectHardware,
    disks: collectDisks,
    network: collectNetwork,
    software: collectSoftware,
    services: async () =>
      listServices().services.map(({ name, displayName, state, startup }) => ({
        name: name.slice(0, 255),
        displayName: displayName?.slice(0, 255),
        state,
        startup: startup ?? undefined,
      })),
    users: collectUsers,
  })
