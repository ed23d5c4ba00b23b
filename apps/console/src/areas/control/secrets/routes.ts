import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const secretsSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  level: read.oneOf('partner', 'organization', 'site'),
  form: read.oneOf('new'),
})

export const secretRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/secrets',
    validateSearch: secretsSearch,
    component: lazyRouteComponent(() => import('./SecretsPage.tsx'), 'SecretsPage'),
  }),
] as const
