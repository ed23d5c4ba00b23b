import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const usersSearch = read.searchOf({
  q: read.text,
  status: read.oneOf('active', 'invited', 'disabled'),
  role: read.id,
  partner: read.id,
  page: read.whole,
  /** The form that is open. */
  form: read.oneOf('invite'),
})

export const userRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/users',
    validateSearch: usersSearch,
    component: lazyRouteComponent(() => import('./UsersPage.tsx'), 'UsersPage'),
  }),
] as const
