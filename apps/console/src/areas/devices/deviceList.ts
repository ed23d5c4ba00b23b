import type { Device } from '@muster/areas/devices/devices.contract.ts'
import { type Filter, FilterExpression } from '@muster/areas/devices/filter-language.contract.ts'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { useScopeKey } from '../../session/session.tsx'
import type { Place } from '../../shell/place.ts'
import type { DevicesSearch } from './routes.ts'

const pageRows = 100
const wholeRows = 1_000
/** Parts of the list that nobody looks at any more are soon let go. */
const keptMs = 30_000

/** The filter of an address; what makes no sense counts as absent. */
export const filterIn = ({ filter }: DevicesSearch): Filter | undefined => FilterExpression.safeParse(filter).data

/** The filter language for what an address asks beside search, status and place. */
export function conditionsOf(search: DevicesSearch): Filter | undefined {
  const { tags } = search
  const filter = filterIn(search)
  const parts: Filter[] = [...(filter ? [filter] : []), ...(tags ? [{ field: 'tags', op: 'hasAny', value: tags }] : [])]
  return parts.length > 1 ? { all: parts } : parts[0]
}

/** The question that an address asks. */
export function filtersOf(search: DevicesSearch & Place) {
  const { q, status, group, sort, dir, org, site } = search
  const filter = conditionsOf(search)
  return {
    ...(q && { search: q }),
    ...(status && { status }),
    ...(group && { groupIds: [group] }),
    ...(org && { orgIds: [org] }),
    ...(site && { siteIds: [site] }),
    ...(filter && { filter }),
    sort: sort ?? ('hostname' as const),
    sortDir: dir ?? ('asc' as const),
  }
}
export type DeviceFilters = ReturnType<typeof filtersOf>

interface Part {
  readonly limit: number
  readonly offset?: number
  readonly cursor?: string
  readonly includeTotal?: true
}
async function read(filters: DeviceFilters, part: Part, signal?: AbortSignal) {
  const answer = await api.devices.devices.list.query({ ...filters, ...part }, signal ? { signal } : {})
  if (!('devices' in answer)) throw new Error('the list was answered in pages')
  return answer
}

const none: readonly Device[] = []

/** The devices that match, however many: those in sight are read, wherever in the list that is. */
export function useDeviceWindow(filters: DeviceFilters) {
  const key = [useScopeKey(), 'devices.devices.list', filters]
  const [inSight, setInSight] = useState({ first: 0, last: 0 })
  const start = useQuery({
    queryKey: [...key, 0],
    queryFn: ({ signal }) => read(filters, { limit: pageRows, includeTotal: true }, signal),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    refetchOnWindowFocus: false,
  })
  const isOfBefore = start.isPlaceholderData
  const { first, last } = inSight
  const total = start.data?.total ?? 0
  const pages = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(
    (page) => page > 0 && page * pageRows < total,
  )
  const others = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        read(filters, { limit: pageRows, offset: page * pageRows }, signal),
      staleTime: 5_000,
      gcTime: keptMs,
      refetchOnWindowFocus: false,
      enabled: !isOfBefore,
    })),
  })
  const found = new Map(pages.map((page, index) => [page, others[index]?.data?.devices ?? none]))
  const devices = start.data?.devices ?? none
  const at = (index: number): Device | undefined => {
    const page = Math.floor(index / pageRows)
    return (page === 0 ? devices : found.get(page))?.[index % pageRows]
  }
  const see = useCallback((firstRow: number, lastRow: number) => {
    // One page more on either side, so that scrolling finds its rows.
    const next = { first: Math.max(0, Math.floor(firstRow / pageRows) - 1), last: Math.floor(lastRow / pageRows) + 1 }
    setInSight((now) => (now.first === next.first && now.last === next.last ? now : next))
  }, [])
  const question = useMemo(() => JSON.stringify(filters), [filters])
  return { answer: start, devices, total, windowed: { total, question, at, see } }
}

/** Reads every device that matches, page by page. */
export async function everyDevice(
  filters: DeviceFilters,
  progress: (read: number) => void,
  signal: AbortSignal,
): Promise<Device[]> {
  const all: Device[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof read>> = await read(
      filters,
      { limit: wholeRows, ...(cursor !== null && { cursor }) },
      signal,
    )
    all.push(...page.devices)
    progress(all.length)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}
