import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'

type Inventory = NonNullable<DeviceDetail['inventory']>
type Items = Inventory['software']

const isItem = (value: unknown): value is Items[number] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const itemsOf = (value: unknown): Items | undefined => (Array.isArray(value) ? value.filter(isItem) : undefined)

/** What the inventory says about the operating system. A part is undefined if the agent does not know it. */
export function systemParts({ timeZone, pendingRestart, drivers, updates, features, membership }: Inventory['system']) {
  return {
    timeZone: textOf(timeZone),
    membership: membershipOf(membership),
    /** Why the machine has to restart; empty when it does not. */
    restart: Array.isArray(pendingRestart) ? pendingRestart.map(String) : undefined,
    drivers: itemsOf(drivers),
    updates: itemsOf(updates),
    features: itemsOf(features),
  }
}

function membershipOf(value: unknown) {
  const { workgroup, domain, entra } = isItem(value) ? value : {}
  const { kind, tenantName, tenantId } = isItem(entra) ? entra : {}
  const tenant = textOf(tenantName) ?? textOf(tenantId) ?? 'unknown tenant'
  return {
    workgroup: textOf(workgroup),
    domain: textOf(domain),
    entra: kind === 'joined' ? tenant : kind === 'registered' ? `${tenant} (account of a user only)` : undefined,
  }
}
