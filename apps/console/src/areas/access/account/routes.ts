import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'

export const accountRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('./AccountPage.tsx'), 'AccountPage'),
  }),
] as const
