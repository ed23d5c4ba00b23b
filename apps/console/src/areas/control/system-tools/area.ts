import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { lazy } from 'react'
import type { Area } from '../../../area.ts'
import { isOfSystem } from '../../fleet/devices/ability.ts'

const ProcessesTab = lazy(() => import('./ProcessesTab.tsx').then((part) => ({ default: part.ProcessesTab })))
const ServicesTab = lazy(() => import('./ServicesTab.tsx').then((part) => ({ default: part.ServicesTab })))
const FilesTab = lazy(() => import('./FilesTab.tsx').then((part) => ({ default: part.FilesTab })))
const LogsTab = lazy(() => import('./LogsTab.tsx').then((part) => ({ default: part.LogsTab })))
const TasksTab = lazy(() => import('./TasksTab.tsx').then((part) => ({ default: part.TasksTab })))
const RegistryTab = lazy(() => import('./registry/RegistryTab.tsx').then((part) => ({ default: part.RegistryTab })))

export const systemToolsArea = {
  routes: [],
  deviceTabs: [
    { id: 'processes', label: 'Processes', group: 'Tools', order: 30, fills: true, Content: ProcessesTab },
    { id: 'services', label: 'Services', group: 'Tools', order: 40, fills: true, Content: ServicesTab },
    { id: 'files', label: 'Files', group: 'Tools', order: 50, fills: true, Content: FilesTab },
    { id: 'logs', label: 'Logs', group: 'Tools', order: 60, fills: true, Content: LogsTab },
    { id: 'tasks', label: 'Tasks', group: 'Tools', order: 70, fills: true, Content: TasksTab },
    {
      id: 'registry',
      label: 'Registry',
      group: 'Tools',
      order: 80,
      fills: true,
      shows: (device: DeviceDetail) => isOfSystem(device, 'list_registry_keys'),
      Content: RegistryTab,
    },
  ],
} as const satisfies Area
