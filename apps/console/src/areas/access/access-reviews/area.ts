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
} as const satisfies Area
