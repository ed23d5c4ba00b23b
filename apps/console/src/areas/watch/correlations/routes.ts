import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const groupsSearch = read.searchOf({ page: read.whole, status: read.oneOf('all', 'closed') })

export const correlationRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/groups',
    validateSearch: groupsSearch,
    component: lazyRouteComponent(() => import('./AlertGroupsPage.tsx'), 'AlertGroupsPage'),
  }),
] as const
