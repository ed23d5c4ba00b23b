import { House } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { overviewRoutes } from './routes.ts'

export const overviewArea = {
  routes: overviewRoutes,
  screens: [
    { path: '/', label: 'Home', icon: House, group: 'home', order: 0, keys: 'g o', words: 'overview dashboard start' },
  ],
} as const satisfies Area
