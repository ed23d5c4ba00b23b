import { Workflow } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { automationRoutes } from './routes.ts'

export const automationsArea = {
  routes: automationRoutes,
  screens: [
    {
      path: '/automations',
      label: 'Automations',
      icon: Workflow,
      group: 'automation',
      order: 30,
      needs: 'automations:read',
      words: 'schedule cron event trigger webhook workflow runs actions',
    },
  ],
  actions: [
    {
      path: '/automations',
      form: 'new',
      label: 'New automation',
      creates: true,
      needs: 'automations:write',
      words: 'schedule cron event trigger workflow create',
    },
  ],
} as const satisfies Area
