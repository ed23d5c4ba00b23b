// Keeps the members of dynamic groups in line with their filters. One statement per group adds, removes and logs.
import type { Db } from '@muster/db/database.ts'
import { type Expression, type SqlBool, sql } from 'kysely'
import { conditionOf } from '../devices/index.ts'
import { FilterExpression } from '../filter-language/filter.contract.ts'
import { tellMembers } from './members-events.ts'

export interface DynamicGroup {
  readonly id: string
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
  readonly filter: unknown
}

interface Change {
  readonly deviceId: string
  readonly action: 'added' | 'removed'
}

interface Left {
  readonly groupId: string
  readonly deviceId: string
}

function statement(group: DynamicGroup, condition: Expression<SqlBool>, deviceIds: readonly string[] | null) {
  const ofSite = group.siteId === null ? sql`` : sql`AND devices.site_id = ${group.siteId}::uuid`
  const ofThese = deviceIds === null ? sql`` : sql`AND devices.id = ANY (${[...deviceIds]}::uuid[])`
  const membersOfThese = deviceIds === null ? sql`` : sql`AND m.device_id = ANY (${[...deviceIds]}::uuid[])`
  return sql<Change>`
    WITH matching AS MATERIALIZED (
      SELECT devices.id FROM devices LEFT JOIN device_state AS state ON state.device_id = devices.id
      WHERE devices.org_id = ${group.orgId}::uuid AND devices.lifecycle <> 'decommissioned' ${ofSite} ${ofThese} AND ${condition}
    ), added AS (
      INSERT INTO device_group_members (group_id, device_id, org_id, partner_id)
      SELECT ${group.id}::uuid, matching.id, ${group.orgId}::uuid, ${group.partnerId}::uuid FROM matching
      ON CONFLICT DO NOTHING RETURNING device_id
    ), removed AS (
      DELETE FROM device_group_members m
      WHERE m.group_id = ${group.id}::uuid AND NOT m.pinned ${membersOfThese} AND NOT EXISTS (SELECT FROM matching WHERE matching.id = m.device_id)
      RETURNING device_id
    ), changed AS (
      SELECT device_id, 'added' AS action FROM added UNION ALL SELECT device_id, 'removed' FROM removed
    ), logged AS (
      INSERT INTO device_group_log (group_id, device_id, org_id, partner_id, action, reason)
      SELECT ${group.id}::uuid, device_id, ${group.orgId}::uuid, ${group.partnerId}::uuid, action, 'filter' FROM changed
    )
    SELECT device_id, action FROM changed`
}

/**
 * Evaluates a group's filter for these devices, or for all devices of its organization, and updates the members.
 * @param isNew devices that a group has from its beginning have not joined it
 * @returns the changes
 */
export async function evaluateGroup(
  db: Db,
  group: DynamicGroup,
  deviceIds: readonly string[] | null,
  isNew = false,
): Promise<Change[]> {
  const condition = await conditionOf(db, FilterExpression.parse(group.filter), group)
  const { rows } = await statement(group, condition, deviceIds).execute(db)
  const those = (wanted: Change['action']) =>
    rows.flatMap(({ deviceId, action }) => (action === wanted ? [{ groupId: group.id, deviceId }] : []))
  if (!isNew) await tellMembers(db, 'joined', those('added'))
  await tellMembers(db, 'left', those('removed'))
  if (deviceIds === null)
    await db.updateTable('deviceGroups').set({ evaluatedAt: sql<string>`now()` }).where('id', '=', group.id).execute()
  return rows
}

/** The groups whose members follow the changes of devices. */
export async function dynamicGroups(db: Db) {
  const groups = await db
    .selectFrom('deviceGroups')
    .select(['id', 'orgId', 'partnerId', 'siteId', 'filter', 'fieldsUsed'])
    .where('type', '=', 'dynamic')
    .execute()
  return groups.map((group) => ({
    ...group,
    evaluate: (within: Db, deviceIds: readonly string[] | null) => evaluateGroup(within, group, deviceIds),
  }))
}

/** Removes a device from groups that it no longer belongs to, because it moved to another organization or was decommissioned. */
export async function leaveGroups(db: Db, deviceId: string, reason: 'moved' | 'decommissioned'): Promise<void> {
  const { rows } = await sql<Left>`
    WITH left_groups AS (DELETE FROM device_group_members WHERE device_id = ${deviceId}::uuid RETURNING group_id, org_id, partner_id)
    INSERT INTO device_group_log (group_id, device_id, org_id, partner_id, action, reason)
    SELECT group_id, ${deviceId}::uuid, org_id, partner_id, 'removed', ${reason} FROM left_groups
    RETURNING group_id, device_id`.execute(db)
  await tellMembers(db, 'left', rows)
}

/** Removes a device from the groups of sites that it has left. */
export async function leaveGroupsOfOtherSites(db: Db, deviceId: string, siteId: string | null): Promise<void> {
  const { rows } = await sql<Left>`
    WITH left_groups AS (
      DELETE FROM device_group_members m USING device_groups g
      WHERE m.device_id = ${deviceId}::uuid AND g.id = m.group_id AND g.site_id IS NOT NULL
        AND g.site_id IS DISTINCT FROM ${siteId}::uuid
      RETURNING m.group_id, m.org_id, m.partner_id)
    INSERT INTO device_group_log (group_id, device_id, org_id, partner_id, action, reason)
    SELECT group_id, ${deviceId}::uuid, org_id, partner_id, 'removed', 'moved' FROM left_groups
    RETURNING group_id, device_id`.execute(db)
  await tellMembers(db, 'left', rows)
}
