import type { Device } from '@muster/areas/devices/devices.contract.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { api } from '../../api.ts'
import { useScopeKey } from '../../session/session.tsx'
import type { Place } from '../../shell/place.ts'
import type { DevicesSearch } from './routes.ts'

const pageRows = 200
const wholeRows = 1_000

/** The question that an address asks. */
export const filtersOf = ({ q, status, group, sort, dir, org, site }: DevicesSearch & Place) => ({
  ...(q && { search: q }),
  ...(status && { status }),
  ...(group && { groupIds: [group] }),
  ...(org && { orgIds: [org] }),
  ...(site && { siteIds: [site] }),
  sort: sort ?? ('hostname' as const),
  sortDir: dir ?? ('asc' as const),
})
export type DeviceFilters = ReturnType<typeof filtersOf>

async function pageOf(filters: DeviceFilters, limit: number, cursor: string | null, signal?: AbortSignal) {
  const input = { ...filters, limit, ...(cursor === null ? { includeTotal: true } : { cursor }) }
  const answer = await api.devices.devices.list.query(input, signal ? { signal } : {})
  if (!('devices' in answer)) throw new Error('the list was answered in pages')
  return answer
}

const none: readonly Device[] = []

/** The devices that match, more and more of them as they are scrolled into sight. */
export function useDeviceList(filters: DeviceFilters) {
  const answer = useInfiniteQuery({
    queryKey: [useScopeKey(), 'devices.devices.list', filters],
    queryFn: ({ pageParam, signal }) => pageOf(filters, pageRows, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    refetchOnWindowFocus: false,
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = answer
  const devices = useMemo(() => data?.pages.flatMap((page) => page.devices) ?? none, [data])
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return { answer, devices, total: data?.pages[0]?.total, more }
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
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(filters, wholeRows, cursor, signal)
    all.push(...page.devices)
    progress(all.length)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}
