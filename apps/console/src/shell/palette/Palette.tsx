import { useNavigate, useRouterState } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  Bell,
  Building2,
  Keyboard,
  LogOut,
  type LucideIcon,
  MonitorSmartphone,
  Moon,
  Plus,
  ScrollText,
  Sun,
  UserRound,
} from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useApiQuery } from '../../queries.ts'
import { Keys } from '../../ui/button/Menu.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { chooseTheme } from '../../ui/page/theme.ts'
import { useActions, useDeviceActions, useDeviceTabs, useScreens } from '../areas.ts'
import { useChoosePlace } from '../place.ts'
import { selectedRows } from '../selection.ts'
import { useSignOut } from '../useSignOut.ts'
import { fitting } from './matching.ts'

interface Props {
  readonly open: boolean
  close(): void
  showHelp(): void
}

/** All screens, actions, devices and people, by the beginning of a word. */
export function Palette({ open, close, showHelp }: Props) {
  return (
    <Dialog open={open} close={close} title="Search or jump to" wide>
      <Commands close={close} showHelp={showHelp} />
    </Dialog>
  )
}

function Commands({ close, showHelp }: Omit<Props, 'open'>) {
  const [typed, setTyped] = useState('')
  const selected = selectedRows.use()
  const onSelection = fitting(
    typed,
    (selected?.actions ?? []).map((action) => ({ ...action, id: `selection ${action.label}`, more: selected?.label })),
  )
  const onDevice = fitting(typed, useDeviceEntries())
  const pages = fitting(typed, useScreenEntries())
  const actions = fitting(typed, useActionEntries(showHelp))
  const act = (what: () => unknown) => () => {
    close()
    void what()
  }
  const entries = (list: readonly EntryProps[]) =>
    list.map((entry) => <Entry key={entry.label} {...entry} act={act(entry.act)} />)
  return (
    // The matches are ours: the library's would also find scattered letters.
    <Command label="Search or jump to" shouldFilter={false} className="-m-2">
      <Command.Input
        autoFocus
        value={typed}
        onValueChange={setTyped}
        placeholder="A device, a person, a page, an action"
        className="mb-2 h-10 w-full border-line border-b bg-transparent px-2 text-lg outline-none placeholder:text-muted"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto">
        <Command.Empty className="px-2 py-6 text-center text-muted">No results</Command.Empty>
        {onSelection.length > 0 && <Group heading="Selection">{entries(onSelection)}</Group>}
        {onDevice.length > 0 && <Group heading="This device">{entries(onDevice)}</Group>}
        {pages.length > 0 && <Group heading="Go to">{entries(pages)}</Group>}
        {actions.length > 0 && <Group heading="Actions">{entries(actions)}</Group>}
        {/* Last, so that what arrives late neither moves nor takes the selection. */}
        <Found typed={typed} close={close} />
      </Command.List>
    </Command>
  )
}

function useScreenEntries(): readonly EntryProps[] {
  const navigate = useNavigate()
  return useScreens().map(({ path, label, icon, keys, words }) => ({
    id: path,
    label,
    icon,
    keys,
    words,
    act: () => void navigate({ to: path }),
  }))
}

const devicePath = /^\/devices\/([\da-f-]{36})$/

/** The tabs and actions of the device whose page is open. */
function useDeviceEntries(): readonly EntryProps[] {
  const navigate = useNavigate()
  const id = useRouterState({ select: ({ location }) => devicePath.exec(location.pathname)?.[1] })
  const { data: device } = useApiQuery(
    (api) => api.devices.devices.get,
    { id: id ?? '' },
    { enabled: id !== undefined },
  )
  const tabs = useDeviceTabs(device)
  const actions = useDeviceActions()
  if (id === undefined) return []
  return [
    ...tabs.map(({ id, label }) => ({
      id: `device tab ${id}`,
      icon: MonitorSmartphone,
      label: `${label} of this device`,
      act: () => void navigate({ to: '.', search: ({ org, site }) => ({ org, site, tab: id }) }),
    })),
    ...actions.map(({ ask, label, words }) => ({
      id: `device ${ask}`,
      icon: MonitorSmartphone,
      label: `${label} this device`,
      words,
      act: () => void navigate({ to: '.', search: (now) => ({ ...now, ask }) }),
    })),
  ]
}

function useActionEntries(showHelp: () => void): readonly EntryProps[] {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const actions = useActions().map(({ path, form, label, words }) => ({
    id: label,
    icon: Plus,
    label,
    words,
    act: () => void navigate({ to: path, search: { form } }),
  }))
  return [
    ...actions,
    { id: 'light', icon: Sun, label: 'Use the light theme', act: () => chooseTheme('light') },
    { id: 'dark', icon: Moon, label: 'Use the dark theme', act: () => chooseTheme('dark') },
    { id: 'keys', icon: Keyboard, label: 'Show keyboard shortcuts', keys: '?', act: showHelp },
    { id: 'out', icon: LogOut, label: 'Sign out', words: 'log out', act: () => void signOut({ everywhere: false }) },
    {
      id: 'all',
      icon: LogOut,
      label: 'Sign out everywhere',
      words: 'log',
      act: () => void signOut({ everywhere: true }),
    },
  ]
}

const icons = { device: MonitorSmartphone, user: UserRound, organization: Building2, script: ScrollText, alert: Bell }

function Found({ typed, close }: { readonly typed: string; close(): void }) {
  const q = useDeferredValue(typed.trim())
  const navigate = useNavigate()
  const choose = useChoosePlace()
  const { data } = useApiQuery(
    (api) => api.search.search.find,
    { q, limit: 8 },
    { enabled: q.length > 1, keepLast: true },
  )
  if (q.length < 2 || !data || data.data.length === 0) return null
  const go = ({ type, id, title, subtitle }: (typeof data.data)[number]) => {
    close()
    if (type === 'device') void navigate({ to: '/devices/$deviceId', params: { deviceId: id } })
    else if (type === 'organization') choose({ org: id })
    else if (type === 'user') void navigate({ to: '/users', search: { q: subtitle ?? title } })
    else if (type === 'alert') void navigate({ to: '/alerts/$alertId', params: { alertId: id } })
    else void navigate({ to: '/scripts/$scriptId', params: { scriptId: id } })
  }
  return (
    <Group heading="Results">
      {data.data.map((hit) => (
        <Entry
          key={hit.id}
          id={hit.id}
          icon={icons[hit.type]}
          label={hit.title}
          more={hit.orgName ?? hit.subtitle ?? undefined}
          act={() => go(hit)}
        />
      ))}
    </Group>
  )
}

function Group({ heading, children }: { readonly heading: string; readonly children: React.ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs"
    >
      {children}
    </Command.Group>
  )
}

interface EntryProps {
  readonly id: string
  readonly icon: LucideIcon
  readonly label: string
  readonly words?: string | undefined
  readonly more?: string | undefined
  readonly keys?: string | undefined
  act(): void
}
function Entry({ id, icon: Icon, label, more, keys, act }: EntryProps) {
  return (
    <Command.Item
      value={id}
      onSelect={act}
      className="flex cursor-default items-center gap-2.5 rounded-md px-2 py-2 text-sm data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden className="size-4 text-muted" />
      <span className="flex-1 truncate">{label}</span>
      {more && <span className="truncate text-muted text-xs">{more}</span>}
      {keys && <Keys keys={keys} />}
    </Command.Item>
  )
}
