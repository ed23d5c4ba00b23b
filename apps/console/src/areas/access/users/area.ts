import { Users } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { userRoutes } from './routes.ts'

export const usersArea = {
  routes: userRoutes,
  screens: [
    {
      path: '/users',
      label: 'Users',
      icon: Users,
      group: 'access',
      order: 0,
      needs: 'users:read',
      keys: 'g u',
      words: 'people members technicians',
    },
  ],
  actions: [
    {
      path: '/users',
      form: 'invite',
      label: 'Invite user',
      creates: true,
      needs: 'users:invite',
      words: 'new member person add',
    },
  ],
} as const satisfies Area
