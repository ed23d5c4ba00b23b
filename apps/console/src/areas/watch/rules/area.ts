import { SlidersHorizontal } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { ruleRoutes } from './routes.ts'

export const rulesArea = {
  routes: ruleRoutes,
  screens: [
    {
      path: '/alerts/rules',
      label: 'Rules',
      icon: SlidersHorizontal,
      group: 'alerts',
      order: 30,
      needs: 'alerts:read',
      words: 'alert rules conditions thresholds snooze backtest',
    },
  ],
  actions: [
    {
      path: '/alerts/rules',
      form: 'new',
      label: 'New alert rule',
      creates: true,
      needs: 'alerts:write',
      words: 'condition threshold monitor create',
    },
  ],
} as const satisfies Area
