import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useScopeKey } from '../../../../session/session.tsx'
import type { Column, Windowed } from '../../../../ui/table/DataTable.tsx'
import { sorted } from '../../../../ui/table/sorted.ts'
import { type DeviceFilters, listKey } from '../deviceQuestion.ts'
import { everyDevice } from './deviceList.ts'

/** So many devices are read at once and sorted here by any column. The server sorts longer lists by three columns alone. */
export const shortMax = 1_000
const everyMs = 15_000
const none: readonly Device[] = []

type Value = (device: Device) => string | number | null

/** Columns whose values sort a short list, by the text that exports have. */
export const sortableColumns = (columns: readonly Column<Device>[], isShort: boolean): readonly Column<Device>[] =>
  columns.map((column) =>
    column.sort !== undefined || column.text === undefined
      ? column
      : isShort
        ? { ...column, sort: column.id }
        : { ...column, tip: `Sort by this column in lists of up to ${shortMax.toLocaleString('en')} devices` },
  )

/** A short list in the order of a value. @param value null while the server sorts */
export function useSortedList(filters: DeviceFilters, value: Value | null, dir: 'asc' | 'desc') {
  const key = listKey(useScopeKey(), filters)
  const { data = none } = useQuery({
    queryKey: [...key, 'all'],
    queryFn: ({ signal }) => everyDevice(filters, () => {}, signal),
    enabled: value !== null,
    staleTime: 5_000,
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  })
  return useMemo(() => {
    if (value === null || data.length === 0) return null
    const devices = sorted(data, value, dir)
    const windowed: Windowed<Device> = {
      total: devices.length,
      question: JSON.stringify([filters, dir]),
      at: (index) => devices[index],
      see() {},
    }
    return { devices, windowed }
  }, [data, value, dir, filters])
}
