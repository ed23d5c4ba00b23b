// What the list of devices asks for. It is in the first download, so that the question goes out before the screen is drawn;
// therefore nothing here reads filters of the filter language, which takes zod.
import type { Filter } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import type { Place } from '../../../shell/place.ts'
import { type DevicesSearch, serverSorts } from './search.ts'

export const pageRows = 100
const daySeconds = 86_400

/** The filter language for what an address asks beside search, status and place. @param filter the address's own, read */
export function conditionsOf({ tags, os, unseen }: DevicesSearch, filter: Filter | undefined): Filter | undefined {
  const parts: Filter[] = [
    ...(filter ? [filter] : []),
    ...(tags ? [{ field: 'tags', op: 'hasAny', value: tags }] : []),
    ...(os ? [{ field: 'osType', op: 'in', value: os }] : []),
    ...(unseen ? [{ field: 'lastSeenAt', op: 'notWithinLast', value: Number(unseen) * daySeconds }] : []),
  ]
  return parts.length > 1 ? { all: parts } : parts[0]
}

/** The question that an address asks. @param own its filter, read */
export function filtersOf(search: DevicesSearch & Place, own: Filter | undefined) {
  const { q, status, group, sort, dir, org, site } = search
  const filter = conditionsOf(search, own)
  const serverSort = serverSorts.find((each) => each === sort)
  return {
    ...(q && { search: q }),
    ...(status && { status }),
    ...(group && { groupIds: [group] }),
    ...(org && { orgIds: [org] }),
    ...(site && { siteIds: [site] }),
    ...(filter && { filter }),
    sort: serverSort ?? ('hostname' as const),
    sortDir: (serverSort && dir) ?? ('asc' as const),
  }
}
export type DeviceFilters = ReturnType<typeof filtersOf>

interface Part {
  readonly limit: number
  readonly offset?: number
  readonly cursor?: string
  readonly includeTotal?: true
}
export async function readDevices(filters: DeviceFilters, part: Part, signal?: AbortSignal) {
  const answer = await api.devices.devices.list.query({ ...filters, ...part }, signal ? { signal } : {})
  if (!('devices' in answer)) throw new Error('the list was answered in pages')
  return answer
}

export const listKey = (scope: string, filters: DeviceFilters) => [scope, 'devices.devices.list', filters]

/** The question for the beginning of a list and how many there are. */
export const beginning = (scope: string, filters: DeviceFilters) => ({
  queryKey: [...listKey(scope, filters), 0],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readDevices(filters, { limit: pageRows, includeTotal: true }, signal),
  staleTime: 5_000,
})

/** Asks for the beginning of a list that is about to be shown. */
export async function askAhead(queries: QueryClient, scope: string, search: DevicesSearch & Place): Promise<void> {
  if (search.filter === undefined) await queries.prefetchQuery(beginning(scope, filtersOf(search, undefined)))
}
