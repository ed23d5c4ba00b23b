import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const templatesSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  tab: read.oneOf('own'),
  form: read.oneOf('new'),
})

export const templateRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/templates',
    validateSearch: templatesSearch,
    component: lazyRouteComponent(() => import('./TemplatesPage.tsx'), 'TemplatesPage'),
  }),
] as const
