import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

export const versionTabs = ['rollouts', 'versions', 'pins', 'stuck'] as const
const versionsSearch = read.searchOf({ tab: read.oneOf(...versionTabs), page: read.whole, rollout: read.id })

export const rolloutRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/agent-versions',
    validateSearch: versionsSearch,
    component: lazyRouteComponent(() => import('./AgentVersionsPage.tsx'), 'AgentVersionsPage'),
  }),
] as const
