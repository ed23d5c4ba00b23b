import { BookOpen } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { errorRoutes } from './routes.ts'

export const errorsArea = {
  routes: errorRoutes,
  screens: [
    {
      path: '/errors',
      label: 'Error codes',
      icon: BookOpen,
      order: 0,
      words: 'help documentation reference cause remedy',
    },
  ],
} as const satisfies Area
