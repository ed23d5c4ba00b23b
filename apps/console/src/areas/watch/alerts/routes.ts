import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const alertsSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  status: read.oneOf('all', 'active', 'acknowledged', 'suppressed', 'resolved'),
  severity: read.oneOf('critical', 'high', 'medium', 'low', 'info'),
  groupId: read.id,
  rule: read.id,
  sort: read.oneOf('openedAt', 'severity', 'lastChangedAt'),
  dir: read.oneOf('asc', 'desc'),
})

export const alertRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts',
    validateSearch: alertsSearch,
    component: lazyRouteComponent(() => import('./AlertsPage.tsx'), 'AlertsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/$alertId',
    component: lazyRouteComponent(() => import('./AlertPage.tsx'), 'AlertPage'),
  }),
] as const
