import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const rulesSearch = read.searchOf({
  page: read.whole,
  q: read.text,
  severity: read.oneOf('critical', 'high', 'medium', 'low', 'info'),
  state: read.oneOf('enabled', 'disabled'),
  form: read.oneOf('new'),
  /** The template of the new rule. */
  template: read.id,
})

export const ruleRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/rules',
    validateSearch: rulesSearch,
    component: lazyRouteComponent(() => import('./RulesPage.tsx'), 'RulesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/rules/$ruleId',
    component: lazyRouteComponent(() => import('./RulePage.tsx'), 'RulePage'),
  }),
] as const
