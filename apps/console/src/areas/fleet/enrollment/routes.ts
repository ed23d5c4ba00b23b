import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const enrollmentSearch = read.searchOf({ page: read.whole })

export const enrollmentRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/enrolment',
    validateSearch: enrollmentSearch,
    component: lazyRouteComponent(() => import('./EnrolmentPage.tsx'), 'EnrolmentPage'),
  }),
] as const
