// Filters in answers, without the ids of places and groups that the caller does not see.
import type { Comparison, Filter, FilterValue } from '../filter-language/filter.contract.ts'

const kinds = { organizationId: 'orgIds', siteId: 'siteIds', groupId: 'groupIds' } as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** Stands for an id that is hidden. No device of the caller has either, so the filter means the same for these. */
const hiddenId = '00000000-0000-0000-0000-000000000000'

const kindOf = (field: string): Kind | null =>
  field === 'organizationId' || field === 'siteId' || field === 'groupId' ? kinds[field] : null

const textsOf = (value: FilterValue | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')

function comparisonsOf(filter: Filter): Comparison[] {
  if ('all' in filter) return filter.all.flatMap(comparisonsOf)
  if ('any' in filter) return filter.any.flatMap(comparisonsOf)
  return 'not' in filter ? comparisonsOf(filter.not) : [filter]
}

/** The places and groups of one kind that filters name. */
export const namedInFilters = (filters: readonly Filter[], kind: Kind): string[] =>
  filters.flatMap(comparisonsOf).flatMap(({ field, value }) => (kindOf(field) === kind ? textsOf(value) : []))

/** @param seen the ids that the caller sees */
export function shownFilter(filter: Filter, seen: ReadonlySet<string>): Filter {
  if ('all' in filter) return { all: filter.all.map((part) => shownFilter(part, seen)) }
  if ('any' in filter) return { any: filter.any.map((part) => shownFilter(part, seen)) }
  if ('not' in filter) return { not: shownFilter(filter.not, seen) }
  if (kindOf(filter.field) === null || filter.value === undefined) return filter
  const shown = textsOf(filter.value).filter((id) => seen.has(id))
  const value = Array.isArray(filter.value) ? (shown.length === 0 ? [hiddenId] : shown) : (shown[0] ?? hiddenId)
  return { ...filter, value }
}
