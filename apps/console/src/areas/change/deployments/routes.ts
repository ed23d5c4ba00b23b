import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const deploymentsSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  form: read.oneOf('new'),
  status: read.oneOf(
    'draft',
    'ready',
    'awaiting_approval',
    'scheduled',
    'running',
    'paused',
    'halted',
    'completed',
    'cancelled',
  ),
})
const deploymentSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  batch: read.whole,
  status: read.oneOf('pending', 'held', 'queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled', 'expired'),
})

export const deploymentRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/deployments',
    validateSearch: deploymentsSearch,
    component: lazyRouteComponent(() => import('./DeploymentsPage.tsx'), 'DeploymentsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/deployments/$deploymentId',
    validateSearch: deploymentSearch,
    component: lazyRouteComponent(() => import('./DeploymentPage.tsx'), 'DeploymentPage'),
  }),
] as const
