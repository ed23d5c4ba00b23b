import type { DeviceDetail } from '@muster/areas/devices/devices.contract.ts'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Ellipsis, PauseCircle, PlayCircle, RefreshCw, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api } from '../../api.ts'
import { useRefreshOn } from '../../live/Live.tsx'
import { useAnswer, useChange } from '../../questions.ts'
import { useCan } from '../../session/session.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Badge } from '../../ui/display.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Page } from '../../ui/Page.tsx'
import { Failure, Loading, messageOf } from '../../ui/states.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/toasts.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import type { deviceTabs } from './routes.ts'
import { StatusMark, useCurrent } from './status.tsx'

const tools = {
  processes: lazy(() => import('../system-tools/ProcessesTab.tsx').then((part) => ({ default: part.ProcessesTab }))),
  services: lazy(() => import('../system-tools/ServicesTab.tsx').then((part) => ({ default: part.ServicesTab }))),
  files: lazy(() => import('../system-tools/FilesTab.tsx').then((part) => ({ default: part.FilesTab }))),
  logs: lazy(() => import('../system-tools/LogsTab.tsx').then((part) => ({ default: part.LogsTab }))),
  tasks: lazy(() => import('../system-tools/TasksTab.tsx').then((part) => ({ default: part.TasksTab }))),
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
  const answer = useAnswer((client) => client.devices.devices.get, { id: deviceId })
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
      actions={<Actions device={device} />}
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

const icon = { 'aria-hidden': true, className: 'size-4' } as const

function Actions({ device }: { readonly device: DeviceDetail }) {
  const can = useCan()
  const navigate = useNavigate()
  const [isLeaving, setLeaving] = useState(false)
  const { id, hostname, autoUpdate, status } = device
  const refused = (error: unknown) => toast(messageOf(error), { bad: true })
  const inventory = useChange(() => api.devices.commands.create.mutate({ id, type: 'refresh_inventory' }), {
    refresh: ['devices.commands'],
    done: () => toast('The device was asked for its inventory'),
  })
  const updates = useChange((enabled: boolean) => api.devices.autoUpdate.set.mutate({ id, enabled }), {
    refresh: ['devices.devices'],
    done: (_answer, enabled) =>
      toast(enabled ? 'The agent updates itself again' : 'The agent stays at its version', {
        undo: () => updates.mutate(!enabled, { onError: refused }),
      }),
  })
  const mayCommand = !can('devices:execute') && 'You need the permission to send commands'
  const mayChange = !can('devices:write') && 'You need the permission to change devices'
  const mayRemove =
    (!can('devices:delete') && 'You need the permission to decommission devices') ||
    (status === 'decommissioned' && 'It is decommissioned already')
  return (
    <>
      <Menu
        trigger={
          <IconButton label="Actions">
            <Ellipsis {...icon} />
          </IconButton>
        }
        groups={[
          [
            {
              label: 'Refresh the inventory',
              icon: <RefreshCw {...icon} />,
              blocked: mayCommand,
              act: () => inventory.mutate(undefined, { onError: refused }),
            },
            {
              label: autoUpdate ? 'Hold the agent at its version' : 'Let the agent update itself',
              icon: autoUpdate ? <PauseCircle {...icon} /> : <PlayCircle {...icon} />,
              blocked: mayChange,
              act: () => updates.mutate(!autoUpdate, { onError: refused }),
            },
          ],
          [
            {
              label: 'Decommission',
              icon: <Trash2 {...icon} />,
              danger: true,
              blocked: mayRemove,
              act: () => setLeaving(true),
            },
          ],
        ]}
      />
      <Confirm
        danger
        open={isLeaving}
        close={() => setLeaving(false)}
        title={`Decommission ${hostname}?`}
        verb="Decommission"
        type={hostname}
        act={async () => {
          await api.lifecycle.lifecycle.remove.mutate({ id })
          await navigate({ to: '/devices' })
          toast(`${hostname} is decommissioned`)
        }}
      >
        Its certificate ends at once and its open commands are called off. Its history stays. To come back it has to be
        enrolled again.
      </Confirm>
    </>
  )
}
