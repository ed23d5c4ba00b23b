import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { movedRoute } from '../../../movedRoute.ts'
import * as read from '../../../search.ts'

const enrollmentSearch = read.searchOf({ page: read.whole })

export const enrollmentRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/enrollment',
    validateSearch: enrollmentSearch,
    component: lazyRouteComponent(() => import('./EnrollmentPage.tsx'), 'EnrollmentPage'),
  }),
  movedRoute('/enrolment', '/enrollment'),
] as const
