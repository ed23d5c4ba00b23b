import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { movedRoute } from '../../../movedRoute.ts'
import { organizationSearch, organizationsSearch, partnersSearch, sitesSearch } from './search.ts'

export const tenancyRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/organizations',
    validateSearch: organizationsSearch,
    component: lazyRouteComponent(() => import('./organizations/OrganizationsPage.tsx'), 'OrganizationsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/organizations/$orgId',
    validateSearch: organizationSearch,
    component: lazyRouteComponent(() => import('./organizations/OrganizationPage.tsx'), 'OrganizationPage'),
  }),
  movedRoute('/organisations', '/organizations'),
  movedRoute('/organisations/$orgId', '/organizations'),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/sites',
    validateSearch: sitesSearch,
    component: lazyRouteComponent(() => import('./sites/SitesPage.tsx'), 'SitesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/partners',
    validateSearch: partnersSearch,
    component: lazyRouteComponent(() => import('./partners/PartnersPage.tsx'), 'PartnersPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
  }),
] as const
