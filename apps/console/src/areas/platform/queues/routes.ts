import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const jobStates = ['created', 'retry', 'active', 'completed', 'cancelled', 'failed'] as const

const queuesSearch = read.searchOf({})
const jobsSearch = read.searchOf({ page: read.whole, queue: read.text, state: read.oneOf(...jobStates), job: read.id })
const lettersSearch = read.searchOf({ letter: read.text })

export const queueRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/queues',
    validateSearch: queuesSearch,
    component: lazyRouteComponent(() => import('./QueuesPage.tsx'), 'QueuesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/queues/jobs',
    validateSearch: jobsSearch,
    component: lazyRouteComponent(() => import('./JobsPage.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/dead-letters',
    validateSearch: lettersSearch,
    component: lazyRouteComponent(() => import('./DeadLettersPage.tsx'), 'DeadLettersPage'),
  }),
] as const
