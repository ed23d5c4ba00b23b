import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  Building2,
  Keyboard,
  LogOut,
  type LucideIcon,
  MonitorSmartphone,
  Moon,
  Plus,
  Sun,
  UserRound,
} from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useApiQuery } from '../queries.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Keys } from '../ui/Menu.tsx'
import { useActions, useScreens } from './areas.ts'
import { useChoosePlace } from './place.ts'
import { chooseTheme } from './theme.ts'
import { useSignOut } from './useSignOut.ts'

interface Props {
  readonly open: boolean
  close(): void
  showHelp(): void
}

/** Everything that can be found or done, by typing a part of its name. */
export function Palette({ open, close, showHelp }: Props) {
  return (
    <Dialog open={open} close={close} title="Search or jump to" wide>
      <Commands close={close} showHelp={showHelp} />
    </Dialog>
  )
}

function Commands({ close, showHelp }: Omit<Props, 'open'>) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const signOut = useSignOut()
  const screens = useScreens()
  const actions = useActions()
  const act = (what: () => unknown) => () => {
    close()
    void what()
  }
  return (
    <Command label="Search or jump to" className="-m-2">
      <Command.Input
        autoFocus
        value={typed}
        onValueChange={setTyped}
        placeholder="A device, a person, a screen, an action"
        className="mb-2 h-10 w-full border-line border-b bg-transparent px-2 text-lg outline-none placeholder:text-muted"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto">
        <Command.Empty className="px-2 py-6 text-center text-muted">Nothing is called that.</Command.Empty>
        <Found typed={typed} close={close} />
        <Group heading="Go to">
          {screens.map(({ path, label, icon, keys, words }) => (
            <Entry
              key={path}
              icon={icon}
              label={label}
              words={words}
              keys={keys}
              act={act(() => navigate({ to: path }))}
            />
          ))}
        </Group>
        <Group heading="Do">
          {actions.map(({ path, form, label, words }) => (
            <Entry
              key={label}
              icon={Plus}
              label={label}
              words={words}
              act={act(() => navigate({ to: path, search: { form } }))}
            />
          ))}
          <Entry icon={Sun} label="Use the light theme" act={act(() => chooseTheme('light'))} />
          <Entry icon={Moon} label="Use the dark theme" act={act(() => chooseTheme('dark'))} />
          <Entry icon={Keyboard} label="Show the keyboard shortcuts" keys="?" act={act(showHelp)} />
          <Entry icon={LogOut} label="Sign out everywhere" words="log out" act={act(signOut)} />
        </Group>
      </Command.List>
    </Command>
  )
}

const icons = { device: MonitorSmartphone, user: UserRound, organization: Building2, script: Keyboard, alert: Keyboard }

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
  }
  return (
    <Group heading="Found">
      {data.data.map((hit) => (
        <Entry
          key={hit.id}
          icon={icons[hit.type]}
          label={hit.title}
          // The server has matched already, also misspelt words: the list must not sort them out again.
          words={`${typed} ${hit.id}`}
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
  readonly icon: LucideIcon
  readonly label: string
  readonly words?: string | undefined
  readonly more?: string | undefined
  readonly keys?: string | undefined
  act(): void
}
function Entry({ icon: Icon, label, words, more, keys, act }: EntryProps) {
  return (
    <Command.Item
      value={`${label} ${words ?? ''}`}
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
