import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

export const errorRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/errors',
    validateSearch: read.searchOf({ code: read.text }),
    component: lazyRouteComponent(() => import('./ErrorsPage.tsx'), 'ErrorsPage'),
  }),
] as const
