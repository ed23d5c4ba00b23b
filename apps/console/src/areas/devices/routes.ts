import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../appRoute.tsx'
import * as read from '../../search.ts'

export const statuses = ['online', 'offline', 'updating', 'provisioned', 'quarantined', 'decommissioned'] as const
export const deviceTabs = ['overview', 'inventory', 'commands', 'run'] as const

export const devicesSearch = read.searchOf({
  q: read.text,
  status: read.someOf(...statuses),
  sort: read.oneOf('hostname', 'lastSeen', 'enrolled'),
  dir: read.oneOf('asc', 'desc'),
  group: read.id,
  /** The columns shown, where they are not the usual ones. */
  cols: read.text,
})
export type DevicesSearch = ReturnType<typeof devicesSearch>

const deviceSearch = read.searchOf({
  tab: read.oneOf(...deviceTabs),
  hours: read.oneOf('1', '6', '24', '168'),
  page: read.whole,
  command: read.id,
})

export const deviceRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices',
    validateSearch: devicesSearch,
    component: lazyRouteComponent(() => import('./DevicesPage.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices/$deviceId',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('./DevicePage.tsx'), 'DevicePage'),
  }),
] as const
