import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const monitorsSearch = read.searchOf({
  page: read.whole,
  tab: read.oneOf('dashboard'),
  q: read.text,
  type: read.oneOf('ping', 'tcp', 'http', 'dns'),
  status: read.oneOf('unknown', 'online', 'degraded', 'offline', 'paused'),
  form: read.oneOf('new'),
})
const monitorSearch = read.searchOf({
  hours: read.oneOf('1', '24', '168', '720', '8760'),
  resolution: read.oneOf('raw', '5m', '1h'),
  /** The range of the chart, in seconds since 1970, where it is not one of the usual ones. */
  from: read.whole,
  to: read.whole,
})

export const monitorRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/monitors',
    validateSearch: monitorsSearch,
    component: lazyRouteComponent(() => import('./MonitorsPage.tsx'), 'MonitorsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/monitors/$monitorId',
    validateSearch: monitorSearch,
    component: lazyRouteComponent(() => import('./MonitorPage.tsx'), 'MonitorPage'),
  }),
] as const
