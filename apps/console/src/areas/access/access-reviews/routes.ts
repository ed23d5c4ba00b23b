import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const reviewsSearch = read.searchOf({
  page: read.whole,
  status: read.oneOf('open', 'overdue', 'completed'),
  partner: read.id,
  form: read.oneOf('new'),
})
const reviewSearch = read.searchOf({ decision: read.oneOf('pending', 'approved', 'revoked') })

export const accessReviewRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/access-reviews',
    validateSearch: reviewsSearch,
    component: lazyRouteComponent(() => import('./ReviewsPage.tsx'), 'ReviewsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/access-reviews/$reviewId',
    validateSearch: reviewSearch,
    component: lazyRouteComponent(() => import('./ReviewPage.tsx'), 'ReviewPage'),
  }),
] as const
