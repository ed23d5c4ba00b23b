import { disksMax, networkMax, servicesMax, softwareMax, usersMax } from '@muster/wire/limits.ts'
import type { InventorySections } from './platform.ts'

type Collectors = { readonly [Section in keyof InventorySections]: () => Promise<InventorySections[Section]> }

/** Collects all sections, one after the other to limit the load on the machine, and software by name. */
export async function collectSections(collectors: Collectors): Promise<InventorySections> {
  const hardware = await collectors.hardware()
  const disks = await collectors.disks()
  const network = await collectors.network()
  const software = await collectors.software()
  const services = await collectors.services()
  const users = await collectors.users()
  return {
    hardware,
    disks: disks.slice(0, disksMax),
    network: network.slice(0, networkMax),
    software: software.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).slice(0, softwareMax),
    services: services.slice(0, servicesMax),
    users: users.slice(0, usersMax),
  }
}
