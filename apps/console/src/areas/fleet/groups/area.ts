import { Boxes } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { groupRoutes } from './routes.ts'

export const groupsArea = {
  routes: groupRoutes,
  screens: [
    {
      path: '/groups',
      label: 'Groups',
      icon: Boxes,
      group: 'devices',
      order: 10,
      needs: 'devices:read',
      keys: 'g g',
      words: 'device sets dynamic static filter',
    },
  ],
} as const satisfies Area
