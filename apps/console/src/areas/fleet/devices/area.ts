import { MonitorSmartphone, UserCheck } from 'lucide-react'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { deviceRoutes } from './routes.ts'

const CommandStopBanner = lazy(() => import('./CommandStop.tsx').then((part) => ({ default: part.CommandStopBanner })))
const OverviewTab = lazy(() => import('./OverviewTab.tsx').then((part) => ({ default: part.OverviewTab })))
const InventoryTab = lazy(() => import('./InventoryTab.tsx').then((part) => ({ default: part.InventoryTab })))
const RunTab = lazy(() => import('./RunTab.tsx').then((part) => ({ default: part.RunTab })))
const CommandsTab = lazy(() => import('./CommandsTab.tsx').then((part) => ({ default: part.CommandsTab })))

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
    {
      path: '/approvals',
      label: 'Approvals',
      icon: UserCheck,
      order: 0,
      needs: 'devices:execute',
      keys: 'g w',
      words: 'second person emergency stop commands waiting',
    },
  ],
  inbox: [
    {
      path: '/approvals',
      label: 'Approvals',
      icon: UserCheck,
      needs: 'devices:execute',
      operation: 'devices.approvals.list',
      async count(api) {
        const { pagination } = await api.devices.approvals.list.query({ status: 'pending', limit: 1 })
        return pagination.total
      },
    },
  ],
  deviceTabs: [
    { id: 'overview', label: 'Overview', group: 'Device', order: 0, Content: OverviewTab },
    { id: 'inventory', label: 'Inventory', group: 'Device', order: 10, Content: InventoryTab },
    { id: 'run', label: 'Run a script', group: 'Activity', order: 80, Content: RunTab },
    { id: 'commands', label: 'Commands', group: 'Activity', order: 90, fills: true, Content: CommandsTab },
  ],
  banners: [{ id: 'command-stop', needs: 'devices:read', Content: CommandStopBanner }],
} as const satisfies Area
