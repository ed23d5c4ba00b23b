import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { conditionOf } from '../devices/index.ts'
import { FilterExpression } from '../filter-language/filter.contract.ts'

export interface FilteredSet {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly filter: unknown
}

/** The sets with a filter, whose matching devices follow the changes of devices. */
export async function filteredSets(db: Db) {
  const sets = await db
    .selectFrom('targetSets')
    .select(['id', 'orgId', 'partnerId', 'filter', 'fieldsUsed'])
    .where('filter', 'is not', null)
    .execute()
  return sets.map((set) => ({
    ...set,
    evaluate: (within: Db, deviceIds: readonly string[] | null) => evaluateSet(within, set, deviceIds),
  }))
}

/** Evaluates the filter of a set for these devices, or for all devices of its owner, and updates the matching ones. */
export async function evaluateSet(db: Db, set: FilteredSet, deviceIds: readonly string[] | null): Promise<void> {
  const condition = await conditionOf(db, FilterExpression.parse(set.filter), set)
  const ofOwner =
    set.orgId === null ? sql`devices.partner_id = ${set.partnerId}::uuid` : sql`devices.org_id = ${set.orgId}::uuid`
  const ofThese = deviceIds === null ? sql`` : sql`AND devices.id = ANY (${[...deviceIds]}::uuid[])`
  const membersOfThese = deviceIds === null ? sql`` : sql`AND m.device_id = ANY (${[...deviceIds]}::uuid[])`
  await sql`
    WITH matching AS MATERIALIZED (
      SELECT devices.id, devices.org_id FROM devices LEFT JOIN device_state AS state ON state.device_id = devices.id
      WHERE ${ofOwner} AND devices.lifecycle <> 'decommissioned' ${ofThese} AND ${condition}
    ), added AS (
      INSERT INTO target_filter_members (set_id, device_id, org_id, partner_id)
      SELECT ${set.id}::uuid, matching.id, matching.org_id, ${set.partnerId}::uuid FROM matching
      ON CONFLICT DO NOTHING
    )
    DELETE FROM target_filter_members m
    WHERE m.set_id = ${set.id}::uuid ${membersOfThese} AND NOT EXISTS (SELECT FROM matching WHERE matching.id = m.device_id)`.execute(
    db,
  )
}
