import { Webhook } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { webhookRoutes } from './routes.ts'

export const webhooksArea = {
  routes: webhookRoutes,
  screens: [
    {
      path: '/webhooks',
      label: 'Webhooks',
      icon: Webhook,
      group: 'integrations',
      order: 10,
      needs: 'settings:read',
      words: 'events deliveries endpoints retry replay signature',
    },
  ],
  actions: [
    {
      path: '/webhooks',
      form: 'new',
      label: 'New webhook',
      needs: 'settings:write',
      words: 'endpoint event integration create',
    },
  ],
} as const satisfies Area
