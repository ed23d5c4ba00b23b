import { UserCheck } from 'lucide-react'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { commandRoutes } from './routes.ts'

const CommandStopBanner = lazy(() => import('./CommandStop.tsx').then((part) => ({ default: part.CommandStopBanner })))
const RunTab = lazy(() => import('./RunTab.tsx').then((part) => ({ default: part.RunTab })))
const CommandsTab = lazy(() => import('./CommandsTab.tsx').then((part) => ({ default: part.CommandsTab })))

export const commandsArea = {
  routes: commandRoutes,
  screens: [
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
    { id: 'run', label: 'Run script', group: 'Activity', order: 80, Content: RunTab },
    { id: 'commands', label: 'Commands', group: 'Activity', order: 90, fills: true, Content: CommandsTab },
  ],
  banners: [{ id: 'command-stop', needs: 'devices:read', Content: CommandStopBanner }],
} as const satisfies Area
