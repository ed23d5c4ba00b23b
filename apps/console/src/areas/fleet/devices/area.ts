import { MonitorSmartphone } from 'lucide-react'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { deviceRoutes } from './routes.ts'

const OverviewTab = lazy(() => import('./page/OverviewTab.tsx').then((part) => ({ default: part.OverviewTab })))
const InventoryTab = lazy(() => import('./page/InventoryTab.tsx').then((part) => ({ default: part.InventoryTab })))

export const devicesArea = {
  routes: deviceRoutes,
  screens: [
    {
      path: '/devices',
      label: 'All devices',
      icon: MonitorSmartphone,
      group: 'devices',
      order: 0,
      needs: 'devices:read',
      keys: 'g d',
      words: 'fleet machines servers workstations list run script command restart',
    },
  ],
  deviceTabs: [
    { id: 'overview', label: 'Overview', group: 'Device', order: 0, Content: OverviewTab },
    { id: 'inventory', label: 'Inventory', group: 'Device', order: 10, Content: InventoryTab },
  ],
} as const satisfies Area
