import { LayoutTemplate } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { templateRoutes } from './routes.ts'

export const templatesArea = {
  routes: templateRoutes,
  screens: [
    {
      path: '/alerts/templates',
      label: 'Templates',
      icon: LayoutTemplate,
      group: 'alerts',
      order: 32,
      needs: 'alerts:read',
      words: 'alert templates built-in parameters library',
    },
  ],
  actions: [
    {
      path: '/alerts/templates',
      form: 'new',
      label: 'New alert template',
      needs: 'alerts:write',
      words: 'parameters create',
    },
  ],
} as const satisfies Area
