import { KeyRound } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { apiKeyRoutes } from './routes.ts'

export const apiKeysArea = {
  routes: apiKeyRoutes,
  screens: [
    {
      path: '/api-keys',
      label: 'API keys',
      icon: KeyRound,
      group: 'integrations',
      order: 0,
      needs: 'settings:read',
      keys: 'g k',
      words: 'tokens programs integrations rotate',
    },
  ],
  actions: [
    {
      path: '/api-keys',
      form: 'new',
      label: 'New API key',
      creates: true,
      needs: 'settings:write',
      words: 'token program create',
    },
  ],
} as const satisfies Area
