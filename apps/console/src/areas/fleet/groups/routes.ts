import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

export const groupTabs = ['members', 'filter', 'log'] as const
const groupsSearch = read.searchOf({ page: read.whole, q: read.text, type: read.oneOf('static', 'dynamic') })
const groupSearch = read.searchOf({ tab: read.oneOf(...groupTabs), page: read.whole })

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
