import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { versionsSearch } from './search.ts'

export const rolloutRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/agent-versions',
    validateSearch: versionsSearch,
    component: lazyRouteComponent(() => import('./AgentVersionsPage.tsx'), 'AgentVersionsPage'),
  }),
] as const
