import { ListChecks } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { accessReviewRoutes } from './routes.ts'

export const accessReviewsArea = {
  routes: accessReviewRoutes,
  screens: [
    {
      path: '/access-reviews',
      label: 'Access reviews',
      icon: ListChecks,
      group: 'access',
      order: 20,
      needs: 'users:read',
      keys: 'g v',
      words: 'recertification keep revoke compliance',
    },
  ],
  actions: [
    {
      path: '/access-reviews',
      form: 'new',
      label: 'Start access review',
      needs: 'users:write',
      words: 'new recertification',
    },
  ],
  inbox: [
    {
      path: '/access-reviews',
      label: 'Access reviews',
      icon: ListChecks,
      needs: 'users:write',
      scopes: ['partner', 'organization'],
      operation: 'accessReviews.reviews.list',
      async count(api) {
        const lists = await Promise.all(
          (['open', 'overdue'] as const).map((status) => api.accessReviews.reviews.list.query({ status, limit: 1 })),
        )
        return lists.reduce((sum, { pagination }) => sum + pagination.total, 0)
      },
    },
  ],
} as const satisfies Area
