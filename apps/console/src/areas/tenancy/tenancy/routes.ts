import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

export const organizationStatuses = ['active', 'trial', 'suspended', 'churned'] as const

const organizationsSearch = read.searchOf({
  q: read.text,
  status: read.oneOf(...organizationStatuses),
  partner: read.id,
  form: read.oneOf('new', 'order'),
})
const organizationSearch = read.searchOf({ page: read.whole })
const sitesSearch = read.searchOf({ page: read.whole, form: read.oneOf('new') })

const partnersSearch = read.searchOf({ page: read.whole, form: read.oneOf('new') })

export const tenancyRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/organisations',
    validateSearch: organizationsSearch,
    component: lazyRouteComponent(() => import('./OrganizationsPage.tsx'), 'OrganizationsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/organisations/$orgId',
    validateSearch: organizationSearch,
    component: lazyRouteComponent(() => import('./OrganizationPage.tsx'), 'OrganizationPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/sites',
    validateSearch: sitesSearch,
    component: lazyRouteComponent(() => import('./SitesPage.tsx'), 'SitesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/partners',
    validateSearch: partnersSearch,
    component: lazyRouteComponent(() => import('./PartnersPage.tsx'), 'PartnersPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./SettingsPage.tsx'), 'SettingsPage'),
  }),
] as const
