import { Route } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { policyRoutes } from './routes.ts'

export const policiesArea = {
  routes: policyRoutes,
  screens: [
    {
      path: '/alerts/policies',
      label: 'Policies',
      icon: Route,
      group: 'alerts',
      order: 35,
      needs: 'alerts:read',
      words: 'routing escalation on-call steps who would hear',
    },
  ],
  actions: [
    {
      path: '/alerts/policies',
      form: 'new',
      label: 'New alert policy',
      needs: 'alerts:write',
      words: 'routing escalation on-call create',
    },
  ],
} as const satisfies Area
