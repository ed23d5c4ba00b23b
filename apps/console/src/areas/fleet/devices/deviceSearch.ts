import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceSearch } from './search.ts'

/** What the address of a device's page asks for, and the way to change it in place. */
export function useDeviceSearch() {
  const search = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const change = (next: DeviceSearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  return [search, change] as const
}

/** How a list of the page is sorted, for a table and for `sorted`. */
export function useDeviceSorting(usual: string, usualDir: 'asc' | 'desc' = 'asc') {
  const [{ sort: by = usual, dir = usualDir }, change] = useDeviceSearch()
  return { by, dir, set: (sort: string, dir: 'asc' | 'desc') => change({ sort, dir }) }
}
