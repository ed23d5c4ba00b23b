import { Radar } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { monitorRoutes } from './routes.ts'

export const monitorsArea = {
  routes: monitorRoutes,
  screens: [
    {
      path: '/monitors',
      label: 'Monitors',
      icon: Radar,
      group: 'alerts',
      order: 20,
      needs: 'alerts:read',
      words: 'ping tcp http dns uptime checks probes website port certificate',
    },
  ],
  actions: [
    {
      path: '/monitors',
      form: 'new',
      label: 'New monitor',
      creates: true,
      needs: 'alerts:write',
      words: 'ping tcp http dns website port check create',
    },
  ],
} as const satisfies Area
