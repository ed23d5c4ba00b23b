import type { Db } from '@muster/db/database.ts'
import { isOneOf } from '@muster/db/lists.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { within } from '../../tenancy/tenancy/index.ts'
import type { Group } from './groups.contract.ts'

const columns = [
  'id',
  'orgId',
  'partnerId',
  'siteId',
  'name',
  'description',
  'type',
  'filter',
  'evaluatedAt',
  'createdAt',
  'updatedAt',
] as const

/** Groups in the caller's reach. Members limited to sites or groups see those alone. */
export const visibleGroups = (db: Db, caller: Caller) =>
  db
    .selectFrom('deviceGroups')
    .where(within(caller, 'deviceGroups.orgId', 'deviceGroups.partnerId'))
    .$if(caller.siteIds !== null, (query) => query.where(isOneOf('siteId', caller.siteIds ?? [])))
    .$if(caller.deviceGroupIds !== null, (query) => query.where(isOneOf('id', caller.deviceGroupIds ?? [])))

const deviceCount = sql<number>`(SELECT count(*) FROM device_group_members m WHERE m.group_id = device_groups.id)`.as(
  'deviceCount',
)

export const selectGroups = (db: Db, caller: Caller) => visibleGroups(db, caller).select(columns).select(deviceCount)

/**
 * Groups decide what a member limited to groups reaches, so their filters, members and existence are not for that member to change.
 * @throws FORBIDDEN
 */
export function requireNotLimitedToGroups({ deviceGroupIds }: Caller, what: string): void {
  if (deviceGroupIds === null) return
  throw denied(`You cannot ${what}: your membership is limited to device groups`)
}

/** A group in reach. @throws NOT_FOUND */
export async function groupById(db: Db, caller: Caller, id: string): Promise<Group & { partnerId: string }> {
  const group = await selectGroups(db, caller).where('id', '=', id).executeTakeFirst()
  if (group === undefined) throw notFound('Group')
  return group
}
