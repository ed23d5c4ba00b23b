import { Link } from '@tanstack/react-router'
import { LogOut, Monitor, MonitorX, Moon, Sun } from 'lucide-react'
import { useMe } from '../session/session.tsx'
import { IconButton } from '../ui/button/Button.tsx'
import { Menu } from '../ui/button/Menu.tsx'
import { chooseTheme, themes, useTheme } from '../ui/page/theme.ts'
import { useSignOut } from './useSignOut.ts'

const themeIcons = { system: Monitor, light: Sun, dark: Moon }

/** The signed-in user: their account, the theme, signing out. */
export function Person() {
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
        groups={[
          [
            {
              label: 'Sign out',
              icon: <LogOut aria-hidden className="size-4" />,
              act: () => void signOut({ everywhere: false }),
            },
            {
              label: 'Sign out everywhere',
              icon: <MonitorX aria-hidden className="size-4" />,
              act: () => void signOut({ everywhere: true }),
            },
          ],
        ]}
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
