import { BookCopy, ScrollText } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { scriptRoutes } from './routes.ts'

export const scriptsArea = {
  routes: scriptRoutes,
  screens: [
    {
      path: '/scripts',
      label: 'Scripts',
      icon: ScrollText,
      group: 'automation',
      order: 10,
      needs: 'scripts:read',
      words: 'bash powershell python shell run execute versions parameters',
    },
    {
      path: '/scripts/library',
      label: 'Script library',
      icon: BookCopy,
      group: 'automation',
      order: 20,
      needs: 'scripts:read',
      words: 'system scripts import templates update',
    },
  ],
  actions: [
    {
      path: '/scripts',
      form: 'new',
      label: 'New script',
      creates: true,
      needs: 'scripts:write',
      words: 'bash powershell python shell create write',
    },
  ],
} as const satisfies Area
