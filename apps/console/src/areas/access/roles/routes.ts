import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const rolesSearch = read.searchOf({ partner: read.id, q: read.text, form: read.oneOf('new') })
const roleSearch = read.searchOf({ partner: read.id })

export const roleRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/roles',
    validateSearch: rolesSearch,
    component: lazyRouteComponent(() => import('./RolesPage.tsx'), 'RolesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/roles/$roleId',
    validateSearch: roleSearch,
    component: lazyRouteComponent(() => import('./RolePage.tsx'), 'RolePage'),
  }),
] as const
