import { lazy } from 'react'
import type { Area } from '../../../area.ts'

const ProcessesTab = lazy(() => import('./ProcessesTab.tsx').then((part) => ({ default: part.ProcessesTab })))
const ServicesTab = lazy(() => import('./ServicesTab.tsx').then((part) => ({ default: part.ServicesTab })))
const FilesTab = lazy(() => import('./FilesTab.tsx').then((part) => ({ default: part.FilesTab })))
const LogsTab = lazy(() => import('./LogsTab.tsx').then((part) => ({ default: part.LogsTab })))
const TasksTab = lazy(() => import('./TasksTab.tsx').then((part) => ({ default: part.TasksTab })))

export const systemToolsArea = {
  routes: [],
  deviceTabs: [
    { id: 'processes', label: 'Processes', group: 'Tools', order: 30, fills: true, Content: ProcessesTab },
    { id: 'services', label: 'Services', group: 'Tools', order: 40, fills: true, Content: ServicesTab },
    { id: 'files', label: 'Files', group: 'Tools', order: 50, fills: true, Content: FilesTab },
    { id: 'logs', label: 'Logs', group: 'Tools', order: 60, fills: true, Content: LogsTab },
    { id: 'tasks', label: 'Tasks', group: 'Tools', order: 70, fills: true, Content: TasksTab },
  ],
} as const satisfies Area
