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
  inbox: [
    {
      path: '/queues',
      label: 'Failed jobs',
      icon: ListTodo,
      needs: '*:*',
      scopes: ['system'],
      operation: 'queues.jobs.list',
      async count(api) {
        const { pagination } = await api.queues.jobs.list.query({ state: 'failed', limit: 1 })
        return pagination.total
      },
    },
    {
      path: '/dead-letters',
      label: 'Dead letters',
      icon: MailX,
      needs: '*:*',
      scopes: ['system'],
      operation: 'queues.deadLetters.list',
      async count(api) {
        const { total } = await api.queues.deadLetters.list.query({ limit: 1 })
        return total
      },
    },
  ],
} as const satisfies Area
