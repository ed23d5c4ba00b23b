import { collectSections } from '../../collect-sections.ts'
import type { Mac } from '../mac.ts'
import { listServices } from '../tools/service-tools.ts'
import { collectDisks } from './disks.ts'
import { collectHardware } from './hardware.ts'
import { collectNetwork } from './network.ts'
import { collectSoftware } from './software.ts'
import { collectUsers } from './users.ts'

export const collectInventory = (mac: Mac) =>
  collectSections({
    hardware: () => collectHardware(mac),
    disks: () => collectDisks(mac),
    network: () => collectNetwork(mac),
    software: () => collectSoftware(mac),
    services: () => collectServices(mac),
    users: () => collectUsers(mac),
    // The programs of macOS do not report this state.
    system: async () => ({}),
  })

/** None where launchctl does not answer, so that the rest of the inventory is reported. */
async function collectServices(mac: Mac) {
  const services = await listServices(mac).catch(() => [])
  return services.map(({ name, state, startup }) => ({
    name: name.slice(0, 255),
    state: state.slice(0, 32),
    startup: startup?.slice(0, 32),
  }))
}
