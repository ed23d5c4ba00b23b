import { Link } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Search, Sun, X } from 'lucide-react'
import { useMe } from '../session/session.tsx'
import { IconButton } from '../ui/Button.tsx'
import { Keys, Menu } from '../ui/Menu.tsx'
import { Places } from './Places.tsx'
import { chooseTheme, themes, useTheme } from './theme.ts'
import { useScreens } from './useScreens.ts'
import { useSignOut } from './useSignOut.ts'

interface Props {
  /** On narrow windows: is it drawn over the page? */
  readonly isOpen: boolean
  close(): void
  openPalette(): void
}

const groups = ['Fleet', 'Organisation', 'Access', 'System'] as const
const row = 'flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm'

export function Sidebar({ isOpen, close, openPalette }: Props) {
  const screens = useScreens()
  return (
    <aside
      className={`w-60 shrink-0 flex-col gap-1 border-line border-r bg-surface px-2.5 py-3 md:flex ${isOpen ? 'fixed inset-y-0 left-0 z-30 flex shadow-pop' : 'hidden'}`}
    >
      <div className="mb-1 flex items-center gap-2 px-1">
        <img src="/muster.svg" alt="" className="size-6" />
        <span className="flex-1 font-semibold tracking-tight">Muster</span>
        <span className="md:hidden">
          <IconButton small label="Close the menu" onClick={close}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </span>
      </div>
      <Places />
      <button
        type="button"
        onClick={openPalette}
        className={`${row} border border-line bg-canvas text-muted hover:border-line-strong`}
      >
        <Search aria-hidden className="size-4" />
        <span className="flex-1 truncate text-left">Search or jump to</span>
        <Keys keys="Ctrl K" />
      </button>
      <nav aria-label="Screens" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1 pt-1">
        {groups.map((group) => {
          const entries = screens.filter((screen) => screen.group === group)
          if (entries.length === 0) return null
          return (
            <div key={group} className="pt-2">
              <h2 className="px-2.5 pb-1 font-medium text-muted text-xs">{group}</h2>
              <ul className="grid gap-0.5">
                {entries.map(({ path, label, icon: Icon }) => (
                  <li key={path}>
                    <Link
                      to={path}
                      activeOptions={{ exact: path === '/', includeSearch: false }}
                      className={`${row} text-muted hover:bg-hover hover:text-ink`}
                      activeProps={{ className: '!bg-accent-soft !text-accent-text font-medium' }}
                    >
                      <Icon aria-hidden className="size-4" />
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
      </nav>
      <Person />
    </aside>
  )
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon }

function Person() {
  const { name, email } = useMe()
  const theme = useTheme()
  const signOut = useSignOut()
  const Icon = themeIcons[theme]
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <div className="flex items-center gap-1 border-line border-t pt-2">
      <Link to="/account" className="flex min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 py-1 hover:bg-hover">
        <span
          aria-hidden
          className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-accent-text text-xs"
        >
          {initials(name)}
        </span>
        <span className="grid min-w-0 leading-tight">
          <span className="truncate font-medium text-sm">{name}</span>
          <span className="truncate text-muted text-xs">{email}</span>
        </span>
      </Link>
      <IconButton small label={`Theme: ${theme}. Change to ${nextTheme}`} onClick={() => chooseTheme(nextTheme)}>
        <Icon aria-hidden className="size-4" />
      </IconButton>
      <Menu
        groups={[[{ label: 'Sign out everywhere', icon: <LogOut aria-hidden className="size-4" />, act: signOut }]]}
        trigger={
          <button
            type="button"
            aria-label="Sign out"
            className="rounded-md p-1.5 text-muted hover:bg-hover hover:text-ink"
          >
            <LogOut aria-hidden className="size-4" />
          </button>
        }
      />
    </div>
  )
}

const initials = (name: string) =>
  name
    .split(/\s+/)
    .flatMap((part) => part[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()
