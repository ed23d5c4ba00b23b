import { Waypoints } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { correlationRoutes } from './routes.ts'

export const correlationsArea = {
  routes: correlationRoutes,
  screens: [
    {
      path: '/alerts/groups',
      label: 'Related alerts',
      icon: Waypoints,
      group: 'alerts',
      order: 15,
      needs: 'alerts:read',
      words: 'alert groups correlations root cause evidence',
    },
  ],
} as const satisfies Area
