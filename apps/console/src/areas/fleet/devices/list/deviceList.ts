import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { type Filter, FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useScopeKey } from '../../../../session/session.tsx'
import { beginning, type DeviceFilters, listKey, pageRows, readDevices } from '../deviceQuestion.ts'
import type { DevicesSearch } from '../search.ts'

const wholeRows = 1_000
/** How long parts of the list stay in memory after they scrolled out of sight. */
const keptMs = 30_000

/** The filter of an address; what makes no sense counts as absent. */
export const filterIn = ({ filter }: DevicesSearch): Filter | undefined =>
  filter === undefined ? undefined : FilterExpression.safeParse(filter).data

const none: readonly Device[] = []

/** The devices that match, however many: those in sight are read, wherever in the list that is. */
export function useDeviceWindow(filters: DeviceFilters) {
  const scope = useScopeKey()
  const key = listKey(scope, filters)
  const [inSight, setInSight] = useState({ first: 0, last: 0 })
  const start = useQuery({
    ...beginning(scope, filters),
    placeholderData: keepPreviousData,
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
        readDevices(filters, { limit: pageRows, offset: page * pageRows }, signal),
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

/** Reads all matching devices, page by page. */
export async function everyDevice(
  filters: DeviceFilters,
  progress: (read: number) => void,
  signal: AbortSignal,
): Promise<Device[]> {
  const all: Device[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof readDevices>> = await readDevices(
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
