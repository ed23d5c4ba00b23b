import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const auditSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  result: read.oneOf('success', 'failure', 'denied'),
  actor: read.oneOf('user', 'api-key', 'agent', 'system', 'anonymous'),
  action: read.text,
  user: read.id,
  from: read.day,
  to: read.day,
  record: read.id,
})

export const auditRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/audit',
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('./AuditPage.tsx'), 'AuditPage'),
  }),
] as const
