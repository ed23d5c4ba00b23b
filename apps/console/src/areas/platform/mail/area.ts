import { Mail } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { mailRoutes } from './routes.ts'

export const mailArea = {
  routes: mailRoutes,
  screens: [
    {
      path: '/mail',
      label: 'Mail',
      icon: Mail,
      group: 'system',
      order: 30,
      needs: 'settings:read',
      scopes: ['system'],
      words: 'outbox email smtp sent failed retry',
    },
  ],
} as const satisfies Area
