import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const compliance = read.oneOf('compliant', 'non_compliant', 'error', 'pending', 'exempt', 'not_applicable')

const policiesSearch = read.searchOf({
  tab: read.oneOf('matrix', 'drift'),
  policy: read.id,
  page: read.whole,
  q: read.text,
  status: read.oneOf('draft', 'active', 'inactive', 'awaiting_approval'),
  mode: read.oneOf('monitor', 'warn', 'enforce'),
  form: read.oneOf('new'),
})
const policySearch = read.searchOf({
  tab: read.oneOf('compliance', 'exceptions', 'history'),
  page: read.whole,
  q: read.text,
  status: compliance,
})

export const configurationPolicyRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/policies',
    validateSearch: policiesSearch,
    component: lazyRouteComponent(() => import('./PoliciesPage.tsx'), 'PoliciesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/policies/$policyId',
    validateSearch: policySearch,
    component: lazyRouteComponent(() => import('./page/PolicyPage.tsx'), 'PolicyPage'),
  }),
] as const
