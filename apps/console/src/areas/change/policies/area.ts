import { ClipboardCheck } from 'lucide-react'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { configurationPolicyRoutes } from './routes.ts'

const DevicePoliciesTab = lazy(() =>
  import('./device/DevicePoliciesTab.tsx').then((part) => ({ default: part.DevicePoliciesTab })),
)

export const configurationPoliciesArea = {
  routes: configurationPolicyRoutes,
  screens: [
    {
      path: '/policies',
      label: 'Configuration policies',
      icon: ClipboardCheck,
      group: 'automation',
      order: 30,
      needs: 'devices:read',
      words: 'compliance rules baseline drift violations exceptions required prohibited software',
    },
  ],
  actions: [
    {
      path: '/policies',
      form: 'new',
      label: 'New configuration policy',
      creates: true,
      needs: 'settings:write',
      words: 'compliance rules baseline create',
    },
  ],
  deviceTabs: [
    {
      id: 'policies',
      label: 'Policies',
      group: 'Device',
      order: 15,
      needs: 'devices:read',
      Content: DevicePoliciesTab,
    },
  ],
} as const satisfies Area
