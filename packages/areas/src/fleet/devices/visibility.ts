// Which devices a caller may see, as a condition for queries and as a check for live events. Both implement one rule.
// Events do not name the groups of a device, so for callers limited to groups the check takes the devices of their groups.
import type { Caller } from '@muster/kit/access.ts'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type Reach, within } from '../../tenancy/tenancy/index.ts'

/** For the `where` of each query that names the table devices. */
export const visibleDevices =
  (caller: Reach) =>
  // biome-ignore lint/suspicious/noExplicitAny: one condition for queries of any shape that have the table devices
  (eb: ExpressionBuilder<any, any>): Expression<SqlBool> => {
    return eb.and([
      within(caller, 'devices.orgId', 'devices.partnerId')(eb),
      // Redundant for selected organizations, but it keeps an ordered list from scanning devices of other partners.
      ...(caller.orgAccess === 'selected' ? [eb('devices.partnerId', '=', caller.partnerId)] : []),
      sql<SqlBool>`devices.org_id <> ALL (ARRAY(SELECT gone.id FROM organizations gone WHERE gone.deleted_at IS NOT NULL))`,
      ...(caller.deviceGroupIds === null
        ? []
        : [
            sql<SqlBool>`EXISTS (SELECT FROM device_group_members m WHERE m.device_id = devices.id
              AND m.group_id = ANY (${[...caller.deviceGroupIds]}::uuid[]))`,
          ]),
      ...(caller.siteIds === null ? [] : [eb('devices.siteId', '=', eb.fn.any(eb.val([...caller.siteIds])))]),
    ])
  }

/** The devices of one watcher's groups, read a moment ago. */
export interface GroupDevices {
  has(deviceId: string): boolean
}

/** The device of an event. Its partner is known from the channel. */
export interface Subject {
  readonly orgId: string
  readonly siteId: string | null
  readonly deviceId: string
}

/** @param inGroups the devices of the caller's groups, for callers limited to groups */
export function maySee(caller: Caller, { orgId, siteId, deviceId }: Subject, inGroups: GroupDevices | null): boolean {
  if (caller.deviceGroupIds !== null && inGroups?.has(deviceId) !== true) return false
  if (caller.accessibleOrgIds !== null && !caller.accessibleOrgIds.includes(orgId)) return false
  return caller.siteIds === null || (siteId !== null && caller.siteIds.includes(siteId))
}
