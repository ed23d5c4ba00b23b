// Whether a policy is assigned to a device, at which level, and whether it applies there.
import type { Level } from './levels.contract.ts'

interface Places {
  readonly deviceIds: ReadonlySet<string>
  readonly groupIds: ReadonlySet<string>
  readonly siteIds: ReadonlySet<string>
  readonly orgIds: ReadonlySet<string>
}

export interface AssignedPolicy {
  readonly partnerId: string
  readonly orgId: string | null
  /** Of all devices of its owner. */
  readonly everywhere: boolean
  readonly assigned: Places
  readonly excluded: Places
  /** Empty: all. */
  readonly osTypes: readonly string[]
  /** The followed filter that devices have to match; null without one. */
  readonly filterSetId: string | null
}

export interface PlacedDevice {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string | null
  readonly osType: string | null
  readonly lifecycle: string
  readonly groupIds: readonly string[]
  /** The followed filters that the device matches. */
  readonly filterSetIds: readonly string[]
}

function isIn({ deviceIds, groupIds, siteIds, orgIds }: Places, device: PlacedDevice): boolean {
  return (
    deviceIds.has(device.id) ||
    (device.siteId !== null && siteIds.has(device.siteId)) ||
    orgIds.has(device.orgId) ||
    device.groupIds.some((id) => groupIds.has(id))
  )
}

/** The nearest level at which the policy is assigned to the device; null if it is not. */
export function levelOf(policy: AssignedPolicy, device: PlacedDevice): Level | null {
  const isOfOwner = policy.orgId === null ? policy.partnerId === device.partnerId : policy.orgId === device.orgId
  if (!isOfOwner || device.lifecycle === 'decommissioned' || isIn(policy.excluded, device)) return null
  const { deviceIds, groupIds, siteIds, orgIds } = policy.assigned
  if (deviceIds.has(device.id)) return 'device'
  if (device.groupIds.some((id) => groupIds.has(id))) return 'group'
  if (device.siteId !== null && siteIds.has(device.siteId)) return 'site'
  if (orgIds.has(device.orgId)) return 'organization'
  return policy.everywhere ? 'partner' : null
}

/** Why an assigned policy does not apply to the device; null if it does. */
export function skippedBy({ osTypes, filterSetId }: AssignedPolicy, device: PlacedDevice): 'os' | 'filter' | null {
  if (osTypes.length > 0 && (device.osType === null || !osTypes.includes(device.osType))) return 'os'
  return filterSetId === null || device.filterSetIds.includes(filterSetId) ? null : 'filter'
}
