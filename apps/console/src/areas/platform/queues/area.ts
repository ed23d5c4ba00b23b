import { ListTodo, MailX } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { queueRoutes } from './routes.ts'

export const queuesArea = {
  routes: queueRoutes,
  screens: [
    {
      path: '/queues',
      label: 'Jobs',
      icon: ListTodo,
      group: 'system',
      order: 10,
      needs: '*:*',
      scopes: ['system'],
      words: 'queues background work failed retry',
    },
    {
      path: '/dead-letters',
      label: 'Dead letters',
      icon: MailX,
      group: 'system',
      order: 20,
      needs: '*:*',
      scopes: ['system'],
      words: 'streams replay failed',
    },
  ],
} as const satisfies Area
