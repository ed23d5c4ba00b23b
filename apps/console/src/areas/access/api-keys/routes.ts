import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const keysSearch = read.searchOf({
  page: read.whole,
  status: read.oneOf('all', 'active', 'expired', 'revoked'),
  form: read.oneOf('new'),
})

export const apiKeyRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/api-keys',
    validateSearch: keysSearch,
    component: lazyRouteComponent(() => import('./ApiKeysPage.tsx'), 'ApiKeysPage'),
  }),
] as const
