import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const providersSearch = read.searchOf({ page: read.whole, form: read.oneOf('new') })

export const ssoRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/sso',
    validateSearch: providersSearch,
    component: lazyRouteComponent(() => import('./ProvidersPage.tsx'), 'ProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/sso/$providerId',
    component: lazyRouteComponent(() => import('./ProviderPage.tsx'), 'ProviderPage'),
  }),
] as const
