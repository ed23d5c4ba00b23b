import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const notificationsSearch = read.searchOf({
  tab: read.oneOf('watches'),
  page: read.whole,
  unread: read.oneOf('true'),
  type: read.oneOf('alert', 'device', 'script', 'automation', 'system', 'security', 'ticket'),
})

export const notificationRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/notifications',
    validateSearch: notificationsSearch,
    component: lazyRouteComponent(() => import('./NotificationsPage.tsx'), 'NotificationsPage'),
  }),
] as const
