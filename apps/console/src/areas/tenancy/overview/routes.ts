import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./OverviewPage.tsx'), 'OverviewPage'),
  }),
] as const
