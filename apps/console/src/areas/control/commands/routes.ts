import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { approvalsSearch, runSearch } from './search.ts'

export const commandRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/runs/$batchId',
    validateSearch: runSearch,
    component: lazyRouteComponent(() => import('./RunPage.tsx'), 'RunPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/approvals',
    validateSearch: approvalsSearch,
    component: lazyRouteComponent(() => import('./ApprovalsPage.tsx'), 'ApprovalsPage'),
  }),
] as const
