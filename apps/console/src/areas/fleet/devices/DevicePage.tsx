import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { Badge } from '../../../ui/display.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Failure, Loading } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { DeviceActions } from './DeviceActions.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import type { deviceTabs } from './search.ts'
import { StatusMark, useCurrent } from './status.tsx'

const tools = {
  processes: lazy(() =>
    import('../../control/system-tools/ProcessesTab.tsx').then((part) => ({ default: part.ProcessesTab })),
  ),
  services: lazy(() =>
    import('../../control/system-tools/ServicesTab.tsx').then((part) => ({ default: part.ServicesTab })),
  ),
  files: lazy(() => import('../../control/system-tools/FilesTab.tsx').then((part) => ({ default: part.FilesTab }))),
  logs: lazy(() => import('../../control/system-tools/LogsTab.tsx').then((part) => ({ default: part.LogsTab }))),
  tasks: lazy(() => import('../../control/system-tools/TasksTab.tsx').then((part) => ({ default: part.TasksTab }))),
  run: lazy(() => import('./RunTab.tsx').then((part) => ({ default: part.RunTab }))),
  commands: lazy(() => import('./CommandsTab.tsx').then((part) => ({ default: part.CommandsTab }))),
  inventory: lazy(() => import('./InventoryTab.tsx').then((part) => ({ default: part.InventoryTab }))),
}
type Tab = (typeof deviceTabs)[number]
const tabs: readonly (readonly [Tab, string])[] = [
  ['overview', 'Overview'],
  ['inventory', 'Inventory'],
  ['processes', 'Processes'],
  ['services', 'Services'],
  ['files', 'Files'],
  ['logs', 'Logs'],
  ['tasks', 'Tasks'],
  ['run', 'Run a script'],
  ['commands', 'Commands'],
]
/** Long lists scroll by themselves; their heads and tools stay in sight. */
const isLong = (tab: Tab) => !['overview', 'inventory', 'run'].includes(tab)
const up = { label: 'Devices', to: '/devices' } as const

/** Everything about one device. */
export function DevicePage() {
  const { deviceId } = useParams({ from: '/app/devices/$deviceId' })
  const answer = useApiQuery((client) => client.devices.devices.get, { id: deviceId })
  useRefreshOn(
    (event) => event.type !== 'resync' && event.type !== 'device.heartbeat' && event.deviceId === deviceId,
    ['devices.devices.get'],
  )
  if (answer.data) return <Known device={answer.data} />
  return (
    <Page title="Device" up={up}>
      {answer.error ? <Failure error={answer.error} again={() => answer.refetch()} /> : <Loading />}
    </Page>
  )
}

function Known({ device }: { readonly device: DeviceDetail }) {
  const { tab = 'overview' } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const open = (next: Tab) =>
    void navigate({ search: ({ org, site }) => ({ org, site, ...(next !== 'overview' && { tab: next }) }) })
  const { status } = useCurrent(device)
  const { displayName, hostname, tags } = device
  const Part = tab === 'overview' ? null : tools[tab]
  return (
    <Page
      fill={isLong(tab)}
      title={displayName ?? hostname}
      up={up}
      badge={
        <span className="flex items-center gap-3 text-sm">
          <StatusMark status={status} />
          {tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </span>
      }
      actions={<DeviceActions device={device} />}
    >
      <Tabs label="Parts of the device" tabs={tabs} open={tab} choose={open} />
      {Part ? (
        <Suspense fallback={<Loading />}>
          <Part device={device} />
        </Suspense>
      ) : (
        <OverviewTab device={device} />
      )}
    </Page>
  )
}
