// Whether the person in whose name work goes on may still do it. It is judged whenever something is done, because roles and
// memberships change meanwhile.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { accessibleOrgs, findAccount, membershipIn, permissionsOfRole } from '../../../access/auth/index.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { isLimited, type Reach, reachesWholePartner, within } from '../../../tenancy/tenancy/index.ts'
import type { Place, PlanOwner } from './owner.contract.ts'

export const placeOf = ({ scope, partnerId, orgId }: Place): Place => ({ scope, partnerId, orgId })

/** The caller as the owner of what goes on after the request. */
export const ownerOf = (caller: Caller): PlanOwner => ({ userId: caller.userId, place: placeOf(caller) })

/** Devices, or the organizations whose devices are found later; null for all of the partner. */
export type PlanReach =
  | { readonly deviceIds: readonly string[] }
  | { readonly partnerId: string; readonly orgIds: readonly string[] | null }

/**
 * What the owner reaches today; null if the owner is gone or lost one of the permissions.
 * @param db of the system login, which sees all members
 */
export async function reachOfOwner(
  db: Db,
  { userId, place }: PlanOwner,
  permissions: readonly Permission[],
): Promise<Reach | null> {
  const [account, membership] = await Promise.all([findAccount(db, userId), membershipIn(db, userId, place)])
  if (account?.status !== 'active' || membership === undefined) return null
  const held = { permissions: await permissionsOfRole(db, membership.roleId) }
  if (!permissions.every((one) => hasPermission(held, one))) return null
  return { ...membership, accessibleOrgIds: accessibleOrgs(membership) }
}

/** Whether the owner still has the permissions and reaches all of it. @param db of the system login */
export async function ownerMay(
  db: Db,
  owner: PlanOwner,
  permissions: readonly Permission[],
  reach: PlanReach,
): Promise<'permitted' | 'not_permitted'> {
  const own = await reachOfOwner(db, owner, permissions)
  return own !== null && (await reachesAll(db, own, reach)) ? 'permitted' : 'not_permitted'
}

/** Whether all of it is in reach. */
export async function reachesAll(db: Db, own: Reach, reach: PlanReach): Promise<boolean> {
  if ('deviceIds' in reach) {
    const ids = new Set(reach.deviceIds)
    const { count } = await db
      .selectFrom('devices')
      .where(isOneOf('devices.id', [...ids]))
      .where(visibleDevices(own))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count === ids.size
  }
  const { partnerId, orgIds } = reach
  if (orgIds === null) return reachesWholePartner(own) && (own.scope === 'system' || own.partnerId === partnerId)
  if (isLimited(own)) return false
  const ids = new Set(orgIds)
  const { count } = await db
    .selectFrom('organizations')
    .where(isOneOf('id', [...ids]))
    .where('partnerId', '=', partnerId)
    .where(within(own, 'id', 'partnerId'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count === ids.size
}
