import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../appRoute.tsx'

export const deviceRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices',
    component: lazyRouteComponent(() => import('./DevicesPage.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices/$deviceId',
    component: lazyRouteComponent(() => import('./DevicePage.tsx'), 'DevicePage'),
  }),
] as const
