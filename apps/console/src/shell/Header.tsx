import { useNavigate } from '@tanstack/react-router'
import { Bell, Menu as MenuIcon, Plus, Search } from 'lucide-react'
import { Button, IconButton } from '../ui/button/Button.tsx'
import { Keys, Menu } from '../ui/button/Menu.tsx'
import { many } from '../ui/text/quantity.ts'
import { useActions } from './areas.ts'
import { Places } from './Places.tsx'
import { useWaiting } from './waiting.ts'

interface Props {
  openMenu(): void
  openPalette(): void
}

/** The bar above all screens: the place, the search, what can be created, what waits. */
export function Header({ openMenu, openPalette }: Props) {
  return (
    <header className="flex min-h-12 items-center gap-1.5 border-line border-b bg-surface px-3 py-1.5 md:px-4">
      <Button kind="quiet" aria-label="Open the menu" className="md:hidden" onClick={openMenu}>
        <MenuIcon aria-hidden className="size-4" />
      </Button>
      <Places />
      <span className="flex-1" />
      <button
        type="button"
        onClick={openPalette}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-muted text-sm hover:border-line-strong lg:w-64"
      >
        <Search aria-hidden className="size-4" />
        <span className="sr-only flex-1 truncate text-left lg:not-sr-only">Search or jump to</span>
        <span aria-hidden className="hidden lg:block">
          <Keys keys="Ctrl K" />
        </span>
      </button>
      <CreateMenu />
      <InboxMenu />
    </header>
  )
}

function CreateMenu() {
  const navigate = useNavigate()
  const actions = useActions().filter(({ creates }) => creates)
  if (actions.length === 0) return null
  return (
    <Menu
      trigger={
        <IconButton label="New">
          <Plus aria-hidden className="size-4" />
        </IconButton>
      }
      groups={[
        actions.map(({ path, form, label }) => ({
          label,
          act: () => void navigate({ to: path, search: { form } }),
        })),
      ]}
    />
  )
}

function InboxMenu() {
  const navigate = useNavigate()
  const entries = useWaiting()
  if (entries.length === 0) return null
  const total = entries.reduce((sum, { waiting }) => sum + waiting, 0)
  return (
    <Menu
      trigger={
        <IconButton
          label={total > 0 ? `Inbox: ${many(total, 'item')} waiting` : 'Inbox: nothing waiting'}
          className={total > 0 ? '!w-auto !px-1.5' : ''}
        >
          <Bell aria-hidden className="size-4" />
          {total > 0 && (
            <span aria-hidden className="rounded-full bg-bad-soft px-1.5 text-bad-text text-xs leading-5 tabular">
              {total > 99 ? '99+' : total}
            </span>
          )}
        </IconButton>
      }
      groups={[
        entries.map(({ path, label, icon: Icon, waiting }) => ({
          label: waiting > 0 ? `${label}: ${waiting} waiting` : label,
          icon: <Icon aria-hidden className="size-4" />,
          act: () => void navigate({ to: path }),
        })),
      ]}
    />
  )
}
