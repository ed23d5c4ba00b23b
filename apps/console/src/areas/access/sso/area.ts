import { Fingerprint } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { ssoRoutes } from './routes.ts'

export const ssoArea = {
  routes: ssoRoutes,
  screens: [
    {
      path: '/sso',
      label: 'Single sign-on',
      icon: Fingerprint,
      group: 'access',
      order: 30,
      needs: 'settings:read',
      words: 'sso oidc scim entra google okta identity provider',
    },
  ],
  actions: [
    {
      path: '/sso',
      form: 'new',
      label: 'Add identity provider',
      needs: '*:*',
      words: 'new sso single sign-on oidc',
    },
  ],
} as const satisfies Area
