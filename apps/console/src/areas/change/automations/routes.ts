import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const automationsSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  status: read.oneOf('enabled', 'disabled', 'awaiting_approval', 'tripped'),
  trigger: read.oneOf('schedule', 'event', 'webhook', 'manual'),
  form: read.oneOf('new'),
})

const automationSearch = read.searchOf({
  tab: read.oneOf('runs', 'edit'),
  page: read.whole,
  status: read.oneOf('queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'skipped'),
})

export const automationRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/automations',
    validateSearch: automationsSearch,
    component: lazyRouteComponent(() => import('./AutomationsPage.tsx'), 'AutomationsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/automations/$automationId',
    validateSearch: automationSearch,
    component: lazyRouteComponent(() => import('./AutomationPage.tsx'), 'AutomationPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/automations/$automationId/runs/$runId',
    component: lazyRouteComponent(() => import('./runs/RunPage.tsx'), 'RunPage'),
  }),
] as const
