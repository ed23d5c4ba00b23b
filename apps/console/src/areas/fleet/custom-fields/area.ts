import { Tags } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { customFieldRoutes } from './routes.ts'

export const customFieldsArea = {
  routes: customFieldRoutes,
  screens: [
    {
      path: '/fields',
      label: 'Fields and tags',
      icon: Tags,
      group: 'agent',
      order: 10,
      needs: 'devices:read',
      keys: 'g f',
      words: 'custom fields attributes labels',
    },
  ],
} as const satisfies Area
