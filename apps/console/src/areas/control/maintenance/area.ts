import { CalendarClock } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { maintenanceRoutes } from './routes.ts'

export const maintenanceArea = {
  routes: maintenanceRoutes,
  screens: [
    {
      path: '/maintenance',
      label: 'Maintenance',
      icon: CalendarClock,
      group: 'automation',
      order: 50,
      needs: 'devices:read',
      words: 'windows calendar planned work schedule downtime suppress',
    },
  ],
  actions: [
    {
      path: '/maintenance',
      form: 'new',
      label: 'New maintenance window',
      creates: true,
      needs: 'devices:write',
      words: 'planned work schedule downtime create',
    },
  ],
} as const satisfies Area
