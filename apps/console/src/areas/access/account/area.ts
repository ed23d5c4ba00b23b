import { CircleUserRound } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { accountRoutes } from './routes.ts'

export const accountArea = {
  routes: accountRoutes,
  screens: [
    {
      path: '/account',
      label: 'Your account',
      icon: CircleUserRound,
      order: 0,
      keys: 'g p',
      words: 'profile password sessions passkeys security second factor mfa',
    },
  ],
} as const satisfies Area
