import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const status = read.oneOf('scheduled', 'active', 'completed', 'cancelled')
const maintenanceSearch = read.searchOf({
  page: read.whole,
  tab: read.oneOf('calendar'),
  status,
  form: read.oneOf('new'),
  /** The calendar shows the month or week of this day. */
  day: read.day,
  view: read.oneOf('week'),
})
const windowSearch = read.searchOf({ page: read.whole, status })

export const maintenanceRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/maintenance',
    validateSearch: maintenanceSearch,
    component: lazyRouteComponent(() => import('./MaintenancePage.tsx'), 'MaintenancePage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/maintenance/$windowId',
    validateSearch: windowSearch,
    component: lazyRouteComponent(() => import('./windows/WindowPage.tsx'), 'WindowPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/maintenance/occurrences/$occurrenceId',
    component: lazyRouteComponent(() => import('./OccurrencePage.tsx'), 'OccurrencePage'),
  }),
] as const
