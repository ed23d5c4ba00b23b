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
  actions: [
    {
      path: '/deployments',
      form: 'new',
      label: 'New deployment',
      creates: true,
      needs: 'automations:write',
      words: 'staged rollout rings batches script command',
    },
  ],
} as const satisfies Area
