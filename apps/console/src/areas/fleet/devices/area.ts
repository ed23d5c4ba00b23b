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
  deviceActions: [
    { ask: 'reboot', label: 'Restart', needs: 'devices:execute', words: 'reboot' },
    { ask: 'shutdown', label: 'Shut down', needs: 'devices:execute', words: 'power off' },
    { ask: 'tags', label: 'Edit tags of', needs: 'devices:write' },
    { ask: 'move', label: 'Move', needs: 'devices:write', words: 'organization site' },
    { ask: 'quarantine', label: 'Quarantine', needs: 'devices:write', words: 'isolate block' },
    { ask: 'leave', label: 'Decommission', needs: 'devices:delete', words: 'remove delete retire' },
  ],
} as const satisfies Area
