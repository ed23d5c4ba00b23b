import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { groupSearch, groupsSearch } from './search.ts'

export const groupRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/groups',
    validateSearch: groupsSearch,
    component: lazyRouteComponent(() => import('./GroupsPage.tsx'), 'GroupsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/groups/$groupId',
    validateSearch: groupSearch,
    component: lazyRouteComponent(() => import('./GroupPage.tsx'), 'GroupPage'),
  }),
] as const
