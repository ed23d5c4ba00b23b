// Targets while they are edited: all lists are there, and the filter is a draft.
import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import type { Places, Targets } from '@muster/areas/fleet/targets/targets.contract.ts'
import { draftOf, type Fields, filterOf, type Group, isSound } from '../filters/draft.ts'

export const placeKinds = ['orgIds', 'siteIds', 'groupIds', 'tags', 'deviceIds'] as const
export type PlaceKind = (typeof placeKinds)[number]
/** What is named, by kind. */
export type Named = Readonly<Record<PlaceKind, readonly string[]>>

export interface TargetDraft {
  readonly targets: Named
  readonly exclude: Named
  /** Null without a filter. */
  readonly filter: Group | null
}

export const noPlaces: Named = { orgIds: [], siteIds: [], groupIds: [], tags: [], deviceIds: [] }
const namedIn = ({ orgIds = [], siteIds = [], groupIds = [], tags = [], deviceIds = [] }: Places): Named => ({
  orgIds,
  siteIds,
  groupIds,
  tags,
  deviceIds,
})

export const allDevices: TargetDraft = { targets: noPlaces, exclude: noPlaces, filter: null }

interface Saved {
  readonly targets: Places & { readonly filter?: unknown }
  readonly exclude: Places
}

export function targetDraftOf({ targets, exclude }: Saved): TargetDraft {
  const filter = FilterExpression.safeParse(targets.filter).data
  return { targets: namedIn(targets), exclude: namedIn(exclude), filter: filter ? draftOf(filter) : null }
}

const placesOf = (named: Named): Places => {
  const { orgIds, siteIds, groupIds, tags, deviceIds } = named
  return {
    ...(orgIds.length > 0 && { orgIds: [...orgIds] }),
    ...(siteIds.length > 0 && { siteIds: [...siteIds] }),
    ...(groupIds.length > 0 && { groupIds: [...groupIds] }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(deviceIds.length > 0 && { deviceIds: [...deviceIds] }),
  }
}

/** What a draft says in a request. */
export function targetsOf({ targets, exclude, filter }: TargetDraft): { targets: Targets; exclude: Places } {
  const whole = filter === null ? undefined : filterOf(filter)
  return { targets: { ...placesOf(targets), ...(whole && { filter: whole }) }, exclude: placesOf(exclude) }
}

/** Why the targets cannot be saved; undefined when they can. */
export const faultOfTargets = ({ filter }: TargetDraft, fields: Fields): string | undefined =>
  filter === null || (isSound(filter, fields) && filterOf(filter) !== undefined)
    ? undefined
    : 'Add and complete a condition of the filter'

/** The draft with one thing more or less. */
export function toggled(named: Named, kind: PlaceKind, id: string): Named {
  const before = named[kind]
  return { ...named, [kind]: before.includes(id) ? before.filter((each) => each !== id) : [...before, id] }
}

export const isNothing = (named: Named): boolean => placeKinds.every((kind) => named[kind].length === 0)
