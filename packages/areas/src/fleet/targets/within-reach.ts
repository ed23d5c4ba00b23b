// What callers see of rows with targets.
import { allOf, anyOf, type Condition, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { isLimited, reachesWholePartner, within, withinOrOfPartner } from '../../tenancy/tenancy/index.ts'
import { visibleDevices } from '../devices/index.ts'
import type { Filter } from '../filter-language/filter.contract.ts'
import { visibleGroups } from '../groups/index.ts'
import { inTargets } from './in-targets.ts'
import { namedInFilters, shownFilter } from './shown-filter.ts'
import { readTargets } from './target-sets.ts'
import type { TargetInput, Targets } from './targets.contract.ts'

interface Columns {
  readonly org: string
  readonly partner: string
  readonly targetSet: string
}

/** The targets are everything, contain a device that the caller sees, or name a site or group that the caller is limited to. */
const concern = (caller: Caller, targetSet: string): Condition => sql`EXISTS (
  SELECT FROM target_sets reached WHERE reached.id = ${sql.ref(targetSet)}
    AND (reached.everything OR reached.site_ids && ${[...(caller.siteIds ?? [])]}::uuid[] OR reached.group_ids && ${[...(caller.deviceGroupIds ?? [])]}::uuid[]
      OR EXISTS (SELECT FROM devices WHERE ${visibleDevices(caller)} AND ${inTargets('reached', 'devices')})))`

/**
 * Rows of organizations within reach and of the whole partner, as a condition. Callers who reach a part of the partner see
 * its rows only if these concern a device of theirs. The same holds for all rows where members are limited to sites or groups.
 */
export function withTargetsWithinReach(caller: Caller, { org, partner, targetSet }: Columns): Condition {
  const rows = withinOrOfPartner(caller, org, partner)
  if (isLimited(caller)) return allOf(rows, concern(caller, targetSet))
  if (reachesWholePartner(caller)) return rows
  return allOf(rows, anyOf(sql`${sql.ref(org)} IS NOT NULL`, concern(caller, targetSet)))
}

const kinds = ['deviceIds', 'groupIds', 'orgIds', 'siteIds'] as const
type Named = Readonly<Record<(typeof kinds)[number], readonly string[]>>

/** Those of the named devices and places that the caller sees. */
export async function seenAmong(db: Db, caller: Caller, named: Partial<Named>): Promise<ReadonlySet<string>> {
  const { deviceIds = [], groupIds = [], orgIds = [], siteIds = [] } = named
  const none: { id: string }[] = []
  const found = await Promise.all([
    deviceIds.length === 0
      ? none
      : db
          .selectFrom('devices')
          .select('devices.id')
          .where(isOneOf('devices.id', deviceIds))
          .where(visibleDevices(caller))
          .execute(),
    groupIds.length === 0 ? none : visibleGroups(db, caller).select('id').where(isOneOf('id', groupIds)).execute(),
    orgIds.length === 0
      ? none
      : db
          .selectFrom('organizations')
          .select('id')
          .where(isOneOf('id', orgIds))
          .where(within(caller, 'id', 'partnerId'))
          .execute(),
    siteIds.length === 0
      ? none
      : db
          .selectFrom('sites')
          .select('id')
          .where(isOneOf('id', siteIds))
          .where(within(caller, 'orgId', 'partnerId'))
          .$if(caller.siteIds !== null, (query) => query.where(isOneOf('id', caller.siteIds ?? [])))
          .execute(),
  ])
  return new Set(found.flat().map(({ id }) => id))
}

/** Filters without organizations, sites and groups that the caller does not see. */
export async function shownFilters(db: Db, caller: Caller, filters: readonly Filter[]): Promise<Filter[]> {
  if (reachesWholePartner(caller) || filters.length === 0) return [...filters]
  const named = (kind: 'groupIds' | 'orgIds' | 'siteIds') => namedInFilters(filters, kind)
  const seen = await seenAmong(db, caller, {
    groupIds: named('groupIds'),
    orgIds: named('orgIds'),
    siteIds: named('siteIds'),
  })
  return filters.map((filter) => shownFilter(filter, seen))
}

/** What was saved, by the id of the set, without organizations, sites, groups and devices that the caller does not see. */
export async function shownTargets(
  db: Db,
  caller: Caller,
  setIds: readonly string[],
): Promise<Map<string, TargetInput>> {
  const saved = await readTargets(db, setIds)
  if (reachesWholePartner(caller)) return saved
  const filters = [...saved.values()].flatMap(({ targets }) => targets.filter ?? [])
  const named = (kind: (typeof kinds)[number]) => [
    ...[...saved.values()].flatMap(({ targets, exclude }) => [...(targets[kind] ?? []), ...(exclude[kind] ?? [])]),
    ...(kind === 'deviceIds' ? [] : namedInFilters(filters, kind)),
  ]
  const seen = await seenAmong(db, caller, {
    deviceIds: named('deviceIds'),
    groupIds: named('groupIds'),
    orgIds: named('orgIds'),
    siteIds: named('siteIds'),
  })
  const shown = <Given extends Targets>(places: Given): Given => {
    const kept = { ...places }
    if (kept.filter !== undefined) kept.filter = shownFilter(kept.filter, seen)
    for (const kind of kinds) {
      const ids = kept[kind]?.filter((id) => seen.has(id)) ?? []
      if (ids.length > 0) kept[kind] = ids
      else delete kept[kind]
    }
    return kept
  }
  return new Map(
    [...saved].map(([id, { targets, exclude }]) => [id, { targets: shown(targets), exclude: shown(exclude) }]),
  )
}
