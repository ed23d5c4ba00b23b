// Which devices a caller may see, as a condition for queries and as a check for live events. Both implement one rule.
// Events do not name the groups of a device, so for callers limited to groups the check takes the devices of their groups.
import { allOf, type Condition, equals, isOneOf, never } from '@muster/db/conditions.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { type Reach, within } from '../../tenancy/tenancy/index.ts'

/** For the `where` of each query that names the table devices. */
export const visibleDevices = (caller: Reach): Condition => visibleRows(caller, 'devices', 'devices.id')

/**
 * The same for rows that have an organization, a partner and a site of their own.
 * @param device the column of the device; null when the rows have none, so that members limited to groups see none
 */
export const visibleRows = (caller: Reach, table: string, device: string | null): Condition =>
  allOf(
    within(caller, `${table}.orgId`, `${table}.partnerId`),
    // Redundant for selected organizations, but it keeps an ordered list from scanning rows of other partners.
    ...(caller.orgAccess === 'selected' ? [equals(`${table}.partnerId`, caller.partnerId)] : []),
    sql`${sql.ref(`${table}.orgId`)} <> ALL (ARRAY(SELECT gone.id FROM organizations gone WHERE gone.deleted_at IS NOT NULL))`,
    ...(caller.deviceGroupIds === null ? [] : [inGroups(device, caller.deviceGroupIds)]),
    ...(caller.siteIds === null ? [] : [isOneOf(`${table}.siteId`, caller.siteIds)]),
  )

const inGroups = (device: string | null, groupIds: readonly string[]): Condition =>
  device === null
    ? never
    : sql`EXISTS (SELECT FROM device_group_members m
        WHERE m.device_id = ${sql.ref(device)} AND m.group_id = ANY (${[...groupIds]}::uuid[]))`

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
