import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const webhooksSearch = read.searchOf({
  page: read.whole,
  status: read.oneOf('active', 'disabled'),
  form: read.oneOf('new'),
})
const webhookSearch = read.searchOf({
  page: read.whole,
  status: read.oneOf('pending', 'delivering', 'succeeded', 'failed'),
})

export const webhookRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/webhooks',
    validateSearch: webhooksSearch,
    component: lazyRouteComponent(() => import('./WebhooksPage.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/webhooks/$webhookId',
    validateSearch: webhookSearch,
    component: lazyRouteComponent(() => import('./WebhookPage.tsx'), 'WebhookPage'),
  }),
] as const
