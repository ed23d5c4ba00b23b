import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
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

/** Groups within reach. Members limited to sites or groups see only those. */
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
 * Groups decide what members limited to groups reach, so these members cannot change filters, members or groups themselves.
 * @throws FORBIDDEN
 */
export function requireNotLimitedToGroups({ deviceGroupIds }: Caller, what: string): void {
  if (deviceGroupIds === null) return
  throw denied(`You cannot ${what}: your membership is limited to device groups`)
}

/** A group within reach. @throws NOT_FOUND */
export async function groupById(db: Db, caller: Caller, id: string): Promise<Group & { partnerId: string }> {
  const group = await selectGroups(db, caller).where('id', '=', id).executeTakeFirst()
  if (group === undefined) throw notFound('Group')
  return group
}
