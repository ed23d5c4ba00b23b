import { LockKeyhole } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { secretRoutes } from './routes.ts'

export const secretsArea = {
  routes: secretRoutes,
  screens: [
    {
      path: '/secrets',
      label: 'Secrets',
      icon: LockKeyhole,
      group: 'automation',
      order: 30,
      needs: 'settings:read',
      words: 'passwords tokens keys credentials scripts parameters',
    },
  ],
  actions: [
    {
      path: '/secrets',
      form: 'new',
      label: 'New secret',
      needs: 'settings:write',
      words: 'password token key credential create',
    },
  ],
} as const satisfies Area
