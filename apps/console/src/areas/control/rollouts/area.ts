import { PackageCheck } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { rolloutRoutes } from './routes.ts'

export const rolloutsArea = {
  routes: rolloutRoutes,
  screens: [
    {
      path: '/agent-versions',
      label: 'Agent versions',
      icon: PackageCheck,
      group: 'agent',
      order: 0,
      needs: 'devices:read',
      keys: 'g n',
      words: 'rollouts rings updates pins stuck emergency stop release',
    },
  ],
} as const satisfies Area
