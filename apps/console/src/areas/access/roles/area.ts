import { ShieldCheck } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { roleRoutes } from './routes.ts'

export const rolesArea = {
  routes: roleRoutes,
  screens: [
    {
      path: '/roles',
      label: 'Roles',
      icon: ShieldCheck,
      group: 'access',
      order: 10,
      needs: 'users:read',
      keys: 'g r',
      words: 'permissions rights',
    },
  ],
  actions: [
    { path: '/roles', form: 'new', label: 'New role', creates: true, needs: 'users:write', words: 'permissions add' },
  ],
} as const satisfies Area
