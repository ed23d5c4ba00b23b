import { type Filter, FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import type { SavedFilter, View } from '@muster/areas/fleet/filters/filters.contract.ts'
import { conditionsOf } from '../deviceQuestion.ts'
import { type DevicesSearch, serverSorts } from '../search.ts'
import { filterIn } from './deviceList.ts'

/** All that narrows a list, in the filter language: what a saved filter holds. */
export function wholeFilterOf(search: DevicesSearch): Filter {
  const { q, status, group } = search
  const rest = conditionsOf(search, filterIn(search))
  const named = (field: string): Filter => ({ field, op: 'contains', value: q ?? '' })
  return {
    all: [
      ...(q ? [{ any: [named('hostname'), named('displayName')] }] : []),
      ...(status ? [{ field: 'status', op: 'in', value: status }] : []),
      ...(group ? [{ field: 'groupId', op: 'is', value: group }] : []),
      ...(rest && 'all' in rest ? rest.all : rest ? [rest] : []),
    ],
  }
}

/** How the list is shown: its columns and their order. */
export const viewOf = ({ sort, dir }: DevicesSearch, columns: readonly string[]): View => ({
  columns: [...columns],
  sort: serverSorts.find((each) => each === sort) ?? 'hostname',
  sortDir: dir ?? 'asc',
})

/** The address of a saved view or filter. */
export function searchOf({ filter, view }: Pick<SavedFilter, 'filter' | 'view'>): DevicesSearch {
  const found = FilterExpression.safeParse(filter).data
  const asks = found !== undefined && !('all' in found && found.all.length === 0)
  return {
    ...(asks && { filter: found }),
    ...(view && { cols: view.columns.join('.'), sort: view.sort, dir: view.sortDir }),
  }
}
