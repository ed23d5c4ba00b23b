import { Layers } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { deploymentRoutes } from './routes.ts'

export const deploymentsArea = {
  routes: deploymentRoutes,
  screens: [
    {
      path: '/deployments',
      label: 'Deployments',
      icon: Layers,
      group: 'automation',
      order: 40,
      needs: 'automations:read',
      words: 'staged rollout rings batches halt resume scripts',
    },
  ],
} as const satisfies Area
