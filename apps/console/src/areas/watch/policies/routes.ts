import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const policiesSearch = read.searchOf({ tab: read.oneOf('preview'), form: read.oneOf('new') })

export const policyRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/policies',
    validateSearch: policiesSearch,
    component: lazyRouteComponent(() => import('./PoliciesPage.tsx'), 'PoliciesPage'),
  }),
] as const
