import { Link } from '@tanstack/react-router'
import { ArrowLeft, ChevronDown, ChevronRight, Settings } from 'lucide-react'
import { useState } from 'react'
import type { Screen } from '../area.ts'
import { useScreens } from './areas.ts'
import { type NavigationRow, navigationOf, screenAt } from './navigation.ts'

const row = 'flex h-8 min-w-0 flex-1 items-center gap-2.5 rounded-md px-2.5 text-sm'
const quiet = 'text-muted hover:bg-hover hover:text-ink'
const current = '!bg-accent-soft !text-accent-text font-medium'
const openKey = 'muster.navigation'

/** The screens in groups, one group open at a time. Screens of the Admin group have a list of their own. */
export function Navigation({ path }: { readonly path: string }) {
  const screens = useScreens()
  const { main, admin } = navigationOf(screens)
  const here = screenAt(screens, path)
  const isAdmin = admin.some((section) => section.screens.some((screen) => screen.path === here?.path))
  const [view, setView] = useState({ path, isAdmin })
  const [open, setOpen] = useState(() => localStorage.getItem(openKey) ?? here?.group)
  const choose = (group: string) => {
    localStorage.setItem(openKey, group)
    setOpen(group)
  }
  if (view.path !== path) {
    setView({ path, isAdmin })
    if (here?.group && !isAdmin) choose(here.group)
  }
  if (view.isAdmin)
    return (
      <nav aria-label="Admin" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1 pt-1">
        <button type="button" onClick={() => setView({ path, isAdmin: false })} className={`${row} ${quiet} w-full`}>
          <ArrowLeft aria-hidden className="size-4" />
          Main menu
        </button>
        {admin.map(({ id, label, screens: entries }) => (
          <section key={id} aria-label={label} className="pt-3">
            <h2 className="px-2.5 pb-1 font-medium text-muted text-xs">{label}</h2>
            <Entries screens={entries} />
          </section>
        ))}
      </nav>
    )
  const [first] = admin
  return (
    <nav aria-label="Main" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1 pt-1">
      <ul className="grid gap-0.5">
        {main.map((each) => (
          <Row key={each.id} row={each} here={here} isOpen={open === each.id} choose={choose} />
        ))}
        {first?.screens[0] && (
          <li className="mt-2 flex border-line border-t pt-2">
            <Link
              to={first.screens[0].path}
              onClick={() => setView({ path, isAdmin: true })}
              className={`${row} ${quiet}`}
            >
              <Settings aria-hidden className="size-4" />
              Admin
            </Link>
          </li>
        )}
      </ul>
    </nav>
  )
}

interface RowProps {
  readonly row: NavigationRow
  readonly here: Screen | undefined
  readonly isOpen: boolean
  choose(group: string): void
}
function Row({ row: { id, label, icon: Icon, screens }, here, isOpen, choose }: RowProps) {
  const [first] = screens
  if (first === undefined) return null
  const isHere = here?.group === id
  const isGroup = screens.length > 1
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <li>
      <div className="flex items-center gap-0.5">
        <Link
          to={first.path}
          onClick={() => choose(id)}
          className={`${row} ${quiet} ${isHere && !(isGroup && isOpen) ? current : ''} ${isHere ? 'text-ink' : ''}`}
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          <span className="truncate">{label}</span>
        </Link>
        {isGroup && (
          <button
            type="button"
            aria-label={`Show the pages of ${label}`}
            aria-expanded={isOpen}
            onClick={() => choose(isOpen ? '' : id)}
            className={`flex size-7 shrink-0 items-center justify-center rounded-md ${quiet}`}
          >
            <Chevron aria-hidden className="size-4" />
          </button>
        )}
      </div>
      {isGroup && isOpen && (
        <div className="my-0.5 ml-4 border-line border-l pl-2">
          <Entries screens={screens} />
        </div>
      )}
    </li>
  )
}

const Entries = ({ screens }: { readonly screens: readonly Screen[] }) => (
  <ul className="grid gap-0.5">
    {screens.map(({ path, label }) => (
      <li key={path} className="flex">
        <Link
          to={path}
          activeOptions={{ exact: path === '/', includeSearch: false }}
          className={`${row} !h-7 ${quiet}`}
          activeProps={{ className: current }}
        >
          <span className="truncate">{label}</span>
        </Link>
      </li>
    ))}
  </ul>
)
