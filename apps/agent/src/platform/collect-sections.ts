import {
  disksMax,
  driversMax,
  featuresMax,
  networkMax,
  servicesMax,
  softwareMax,
  updatesMax,
  usersMax,
} from '@muster/wire/limits.ts'
import type { SystemState } from '@muster/wire/messages/inventory.ts'
import type { InventorySections } from './platform.ts'

type Collectors = {
  readonly [Section in Exclude<keyof InventorySections, 'system'>]: () => Promise<InventorySections[Section]>
} & {
  readonly system: () => Promise<Omit<SystemState, 'timeZone'>>
}

/** Collects all sections, one after the other to limit the load on the machine, and software by name. */
export async function collectSections(collectors: Collectors): Promise<InventorySections> {
  const hardware = await collectors.hardware()
  const disks = await collectors.disks()
  const network = await collectors.network()
  const software = await collectors.software()
  const services = await collectors.services()
  const users = await collectors.users()
  const { drivers, updates, features, pendingRestart, membership } = await collectors.system()
  return {
    hardware,
    disks: disks.slice(0, disksMax),
    network: network.slice(0, networkMax),
    software: software.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).slice(0, softwareMax),
    services: services.slice(0, servicesMax),
    users: users.slice(0, usersMax),
    system: {
      timeZone: timeZone(),
      pendingRestart,
      drivers: drivers?.slice(0, driversMax),
      updates: updates?.slice(0, updatesMax),
      features: features?.slice(0, featuresMax),
      membership,
    },
  }
}

/** The runtime knows the zone of every system by its IANA name. */
const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
