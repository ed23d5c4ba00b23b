import { BellRing } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { alertRoutes } from './routes.ts'

export const alertsArea = {
  routes: alertRoutes,
  screens: [
    {
      path: '/alerts',
      label: 'Alerts',
      icon: BellRing,
      group: 'alerts',
      order: 10,
      needs: 'alerts:read',
      words: 'problems incidents monitoring',
    },
  ],
  inbox: [
    {
      path: '/alerts',
      label: 'Active alerts',
      icon: BellRing,
      needs: 'alerts:read',
      operation: 'alerts.alerts.summary',
      async count(api) {
        return (await api.alerts.alerts.summary.query({})).byStatus.active
      },
    },
  ],
} as const satisfies Area
