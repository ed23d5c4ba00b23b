import { PlugZap } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { enrollmentRoutes } from './routes.ts'

export const enrollmentArea = {
  routes: enrollmentRoutes,
  screens: [
    {
      path: '/enrollment',
      label: 'Enrollment',
      icon: PlugZap,
      group: 'devices',
      order: 90,
      needs: 'devices:read',
      keys: 'g e',
      words: 'new add device install agent key enroll',
    },
  ],
} as const satisfies Area
