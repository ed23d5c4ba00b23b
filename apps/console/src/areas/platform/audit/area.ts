import { ScrollText } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { auditRoutes } from './routes.ts'

export const auditArea = {
  routes: auditRoutes,
  screens: [
    {
      path: '/audit',
      label: 'Audit log',
      icon: ScrollText,
      group: 'access',
      order: 40,
      needs: 'audit:read',
      keys: 'g a',
      words: 'history activity changes who',
    },
  ],
} as const satisfies Area
