// Filters whose result is stored: which changes of devices concern them, and how they are brought in line.
import { asSystem, type Db } from '@muster/db/database.ts'
import { type FieldName, fields, isFieldName } from '../../filter-language/fields.contract.ts'
import type { DeviceChange, FollowingParts, StateOwner } from './change-follower.ts'

export interface FollowedFilter {
  readonly id: string
  readonly partnerId: string
  /** Null for a filter over all devices of the partner. */
  readonly orgId: string | null
  readonly fieldsUsed: readonly string[]
  /** Brings the stored result in line for these devices, or for all. */
  evaluate(db: Db, deviceIds: readonly string[] | null): Promise<unknown>
}

/** Their values are not in a column of the device: they are looked at with any change, and by sweeps. */
const elsewhere: ReadonlySet<string> = new Set(['groupId', 'inMaintenance', 'openAlerts'] satisfies FieldName[])
const sections: ReadonlySet<string> = new Set(['disks', 'network', 'software', 'services', 'users'])
const counts: Readonly<Record<string, string>> = {
  softwareCount: 'software',
  serviceCount: 'services',
  diskCount: 'disks',
  inventoryCollectedAt: 'inventoryCollectedAt',
}

/** What changes with the field, as in `DeviceChange`. */
function readBy(name: string): string {
  if (!isFieldName(name)) return 'custom'
  const { source } = fields[name]
  if (source !== 'inventory') return source === 'state' ? 'state' : name
  const [first = ''] = name.split('.')
  return sections.has(first) ? first : (counts[name] ?? 'hardware')
}

const isUsed = (name: string, changed: ReadonlySet<string>): boolean =>
  elsewhere.has(name) ? !changed.has('state') || changed.size > 1 : changed.has(readBy(name))

/** Site, lifecycle and organization are looked at by every filter. */
const concerns = ({ orgId, partnerId, fieldsUsed }: FollowedFilter, change: DeviceChange): boolean =>
  (orgId === null ? partnerId === change.partnerId : orgId === change.orgId) &&
  (change.fields.has('place') || fieldsUsed.some((name) => isUsed(name, change.fields)))

/** The owners of the filters that use what heartbeats report. */
export const ownersOfStateFilters = (filters: readonly FollowedFilter[]): StateOwner[] =>
  filters
    .filter(({ fieldsUsed }) => fieldsUsed.some((name) => readBy(name) === 'state'))
    .map(({ partnerId, orgId }) => ({ partnerId, orgId }))

interface Due {
  readonly filter: FollowedFilter
  readonly deviceIds: string[]
}

/** Filters per transaction, because a round trip takes longer than most evaluations. */
const filtersAtOnce = 20

/** Brings filters in line with the devices that changed. One that fails is left to its sweep. */
export async function followFilters(
  { pool, log }: FollowingParts,
  filters: readonly FollowedFilter[],
  changes: readonly DeviceChange[],
): Promise<void> {
  const byOrg = Map.groupBy(changes, ({ orgId }) => orgId)
  const byPartner = Map.groupBy(changes, ({ partnerId }) => partnerId)
  const due = filters.flatMap((filter): Due[] => {
    const near = (filter.orgId === null ? byPartner.get(filter.partnerId) : byOrg.get(filter.orgId)) ?? []
    const deviceIds = near.flatMap((change) => (concerns(filter, change) ? [change.deviceId] : []))
    return deviceIds.length === 0 ? [] : [{ filter, deviceIds }]
  })
  const evaluate = (db: Db, { filter, deviceIds }: Due) => filter.evaluate(db, deviceIds)
  for (let from = 0; from < due.length; from += filtersAtOnce) {
    const together = due.slice(from, from + filtersAtOnce)
    try {
      // The statements leave without waiting for each other.
      await asSystem(pool, (db) => Promise.all(together.map((each) => evaluate(db, each))))
    } catch {
      for (const each of together)
        await asSystem(pool, (db) => evaluate(db, each)).catch((err: unknown) =>
          log.error({ err, filter: each.filter.id }, 'a filter could not follow its devices'),
        )
    }
  }
}
