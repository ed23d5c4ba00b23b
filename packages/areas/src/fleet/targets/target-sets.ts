// Saves and reads the targets of other resources.

import { type Condition, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { AppError, denied, invalid } from '@muster/kit/errors.ts'
import { type SqlBool, sql } from 'kysely'
import type { Call } from '../../operation.ts'
import { isLimited, within } from '../../tenancy/tenancy/index.ts'
import { conditionOf, visibleDevices } from '../devices/index.ts'
import { FilterExpression, fieldsUsed } from '../filter-language/filter.contract.ts'
import { visibleGroups } from '../groups/index.ts'
import { evaluateSet } from './filter-members.ts'
import { isInTargets } from './in-targets.ts'
import { namesNothing, type Places, type TargetInput } from './targets.contract.ts'

/** Whose devices a set can contain. Without an organization, those of the whole partner. */
export interface Owner {
  readonly partnerId: string
  readonly orgId: string | null
}

const kinds = ['deviceIds', 'groupIds', 'orgIds', 'siteIds', 'tags'] as const

/** Saves a set of devices that a background process has drawn. @returns its id */
export async function saveNamedDevices(
  db: Db,
  { partnerId, orgId }: Pick<Owner, 'partnerId' | 'orgId'>,
  deviceIds: readonly string[],
): Promise<string> {
  const { id } = await db
    .insertInto('targetSets')
    .values({ partnerId, orgId, everything: false, deviceIds: [...deviceIds] })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Saves targets after checking that the caller may name them.
 * @param existingId the set to change; without it a new one is made
 * @returns the id of the set
 * @throws VALIDATION_ERROR for ids that the caller does not see or that do not belong to the owner, and for unknown fields
 * of the filter; FORBIDDEN for members limited to sites or groups who name more than those
 */
export async function saveTargets(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  given: TargetInput,
  existingId?: string,
): Promise<string> {
  const { targets, exclude } = given
  requireWithinLimits(caller, targets)
  await requireKnown(db, caller, owner, given, 'save')
  const { filter } = targets
  if (filter !== undefined) await conditionOf(db, filter, owner)
  const values = {
    everything: given.everything ?? namesNothing(targets),
    deviceIds: targets.deviceIds ?? [],
    groupIds: targets.groupIds ?? [],
    orgIds: targets.orgIds ?? [],
    siteIds: targets.siteIds ?? [],
    tags: targets.tags ?? [],
    excludeDeviceIds: exclude.deviceIds ?? [],
    excludeGroupIds: exclude.groupIds ?? [],
    excludeOrgIds: exclude.orgIds ?? [],
    excludeSiteIds: exclude.siteIds ?? [],
    excludeTags: exclude.tags ?? [],
    filter: filter === undefined ? null : JSON.stringify(filter),
    fieldsUsed: filter === undefined ? [] : [...fieldsUsed(filter)],
  }
  const columns = ['id', 'partnerId', 'orgId', 'filter'] as const
  const set =
    existingId === undefined
      ? await db
          .insertInto('targetSets')
          .values({ partnerId: owner.partnerId, orgId: owner.orgId, ...values })
          .returning(columns)
          .executeTakeFirstOrThrow()
      : await db
          .updateTable('targetSets')
          .set(values)
          .where('id', '=', existingId)
          .returning(columns)
          .executeTakeFirstOrThrow()
  if (filter !== undefined) await evaluateSet(db, set, null)
  else if (existingId !== undefined)
    await db.deleteFrom('targetFilterMembers').where('setId', '=', existingId).execute()
  return set.id
}

/**
 * The devices that targets would contain if they were saved, as a condition on `devices`.
 * @throws what `saveTargets` throws
 */
export async function conditionOfTargets(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  given: TargetInput,
): Promise<Condition> {
  const { targets, exclude } = given
  requireWithinLimits(caller, targets)
  await requireKnown(db, caller, owner, given, 'read')
  const named = isInTargets('devices', {
    partnerId: owner.partnerId,
    orgId: owner.orgId,
    everything: namesNothing(targets),
    targets,
    exclude,
  })
  if (targets.filter === undefined) return named
  const matches = await conditionOf(db, targets.filter, owner)
  return sql<SqlBool>`(${named} AND devices.id IN (SELECT devices.id FROM devices
    LEFT JOIN device_state AS state ON state.device_id = devices.id WHERE ${matches}))`
}

/** Whether the caller could save these targets. */
export async function mayTarget(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  saved: TargetInput,
): Promise<boolean> {
  if (!isLimited(caller)) return true
  try {
    requireWithinLimits(caller, saved.targets)
    await requireKnown(db, caller, owner, saved, 'read')
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Members limited to sites or groups name only those, or devices that they see. */
function requireWithinLimits(caller: Caller, { deviceIds = [], orgIds = [], tags = [], ...places }: Places): void {
  if (!isLimited(caller)) return
  const [sites, groups] = [places.siteIds ?? [], places.groupIds ?? []]
  const isWide =
    orgIds.length + tags.length > 0 ||
    deviceIds.length + sites.length + groups.length === 0 ||
    (sites.length > 0 && caller.deviceGroupIds !== null)
  if (isWide) throw denied('Your membership is limited to sites or device groups: target those, or devices in them')
}

/**
 * Before targets are saved, what they name is locked, so that it is not deleted meanwhile: a deletion takes it out of them.
 * @throws VALIDATION_ERROR naming the first id that is unknown to the caller or not the owner's
 */
async function requireKnown(
  db: Db,
  caller: Caller,
  owner: Owner,
  { targets, exclude }: TargetInput,
  purpose: 'save' | 'read',
): Promise<void> {
  const locks = purpose === 'save'
  const given = (kind: 'deviceIds' | 'groupIds' | 'orgIds' | 'siteIds') => [
    ...new Set([...(targets[kind] ?? []), ...(exclude[kind] ?? [])]),
  ]
  const ofOwner = <Column extends string>(column: Column) =>
    owner.orgId === null
      ? sql<boolean>`${sql.ref(`${column}.partnerId`)} = ${owner.partnerId}::uuid`
      : sql<boolean>`${sql.ref(`${column}.orgId`)} = ${owner.orgId}::uuid`
  const [deviceIds, groupIds, orgIds, siteIds] = [
    given('deviceIds'),
    given('groupIds'),
    given('orgIds'),
    given('siteIds'),
  ]
  const require = async (
    what: 'deviceIds' | 'groupIds' | 'orgIds' | 'siteIds',
    ids: readonly string[],
    known: () => Promise<readonly { id: string }[]>,
  ) => {
    if (ids.length === 0) return
    const found = new Set((await known()).map(({ id }) => id))
    const unknown = ids.find((id) => !found.has(id))
    if (unknown === undefined) return
    const list = targets[what]?.includes(unknown) ? 'targets' : 'exclude'
    throw invalid(`${list}.${what}: ${unknown} does not exist`)
  }
  await require('deviceIds', deviceIds, () =>
    db
      .selectFrom('devices')
      .select('devices.id')
      .where(isOneOf('devices.id', deviceIds))
      .where(visibleDevices(caller))
      .where(ofOwner('devices'))
      .$if(locks, (query) => query.forKeyShare('devices'))
      .execute())
  await require('groupIds', groupIds, () =>
    visibleGroups(db, caller)
      .select('id')
      .where(isOneOf('id', groupIds))
      .where(ofOwner('deviceGroups'))
      .$if(locks, (query) => query.forKeyShare('deviceGroups'))
      .execute())
  await require('siteIds', siteIds, () =>
    db
      .selectFrom('sites')
      .select('id')
      .where(isOneOf('id', siteIds))
      .where(within(caller, 'orgId', 'partnerId'))
      .where(ofOwner('sites'))
      .$if(caller.siteIds !== null, (query) => query.where(isOneOf('id', caller.siteIds ?? [])))
      .$if(locks, (query) => query.forKeyShare())
      .execute())
  await require('orgIds', orgIds, () =>
    db
      .selectFrom('organizations')
      .select('id')
      .where(isOneOf('id', orgIds))
      .where('deletedAt', 'is', null)
      .where(within(caller, 'id', 'partnerId'))
      .where(
        owner.orgId === null
          ? sql<boolean>`partner_id = ${owner.partnerId}::uuid`
          : sql<boolean>`id = ${owner.orgId}::uuid`,
      )
      .execute())
}

/** What was saved, by the id of the set. Empty lists are left out, so that an answer can be sent back. */
export async function readTargets(db: Db, setIds: readonly string[]): Promise<Map<string, TargetInput>> {
  const rows = await db.selectFrom('targetSets').selectAll().where(isOneOf('id', setIds)).execute()
  return new Map(
    rows.map((row) => {
      const named = {
        deviceIds: row.deviceIds,
        groupIds: row.groupIds,
        orgIds: row.orgIds,
        siteIds: row.siteIds,
        tags: row.tags,
      }
      const excluded = {
        deviceIds: row.excludeDeviceIds,
        groupIds: row.excludeGroupIds,
        orgIds: row.excludeOrgIds,
        siteIds: row.excludeSiteIds,
        tags: row.excludeTags,
      }
      const filter = row.filter === null ? {} : { filter: FilterExpression.parse(row.filter) }
      return [row.id, { targets: { ...withoutEmpty(named), ...filter }, exclude: withoutEmpty(excluded) }]
    }),
  )
}

const withoutEmpty = (places: Required<Places>): Places =>
  Object.fromEntries(kinds.flatMap((kind) => (places[kind]?.length === 0 ? [] : [[kind, places[kind]]])))

/** How many devices each set contains. */
export async function deviceCountOf(db: Db, setIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    SELECT t.id, (SELECT count(*) FROM devices_of_targets(t)) AS count
    FROM target_sets t WHERE t.id = ANY (${[...setIds]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Deletes a set. The row that refers to it must be deleted before. */
export const dropTargets = async (db: Db, setId: string): Promise<void> =>
  void (await db.deleteFrom('targetSets').where('id', '=', setId).execute())
