import { MonitorSmartphone, UserCheck } from 'lucide-react'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { deviceRoutes } from './routes.ts'

const CommandStopBanner = lazy(() => import('./CommandStop.tsx').then((part) => ({ default: part.CommandStopBanner })))

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
  banners: [{ id: 'command-stop', needs: 'devices:read', Content: CommandStopBanner }],
} as const satisfies Area
