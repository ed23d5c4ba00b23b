import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { ArrowLeft, ChevronDown, ChevronRight, Settings } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import type { Screen } from '../area.ts'
import { inputClass } from '../ui/form/fields.tsx'
import { Badge } from '../ui/page/display.tsx'
import { useScreens } from './areas.ts'
import { type NavigationRow, navigationOf, screenAt } from './navigation.ts'
import { fitting } from './palette/matching.ts'
import { useWaitingAt } from './waiting.ts'

const row = 'flex h-8 min-w-0 flex-1 items-center gap-2.5 rounded-md px-2.5 text-sm'
const quiet = 'text-muted hover:bg-hover hover:text-ink'
const current = '!bg-accent-soft !text-accent-text font-medium'
const openKey = 'muster.navigation'

/** The navigation with its search field. */
export function Navigation({ path }: { readonly path: string }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(path)
  const screens = useScreens()
  const navigate = useNavigate()
  if (at !== path) {
    setAt(path)
    setTyped('')
  }
  const found = typed.trim() === '' ? null : fitting(typed, screens)
  const openFirst = (event: KeyboardEvent) => {
    const [best] = found ?? []
    if (event.key === 'Enter' && best) void navigate({ to: best.path })
    if (event.key === 'Escape' && typed !== '') {
      event.stopPropagation()
      setTyped('')
    }
  }
  return (
    <>
      <input
        type="text"
        aria-label="Search pages"
        placeholder="Search pages"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={openFirst}
        className={`${inputClass} mb-1 !text-sm`}
      />
      {found === null ? <Groups path={path} /> : <Found screens={found} />}
    </>
  )
}

const list = '-mx-1 min-h-0 flex-1 overflow-y-auto px-1 pt-1'

const Found = ({ screens }: { readonly screens: readonly Screen[] }) => (
  <nav aria-label="Found pages" className={list}>
    {screens.length === 0 ? <p className="px-2.5 text-muted text-sm">No matches</p> : <Entries screens={screens} />}
  </nav>
)

/** The screens in groups, one group open at a time. Screens of the Admin group have a list of their own. */
function Groups({ path }: { readonly path: string }) {
  const screens = useScreens()
  const { main, admin } = navigationOf(screens)
  const here = screenAt(screens, path)
  const isAdmin = admin.some((section) => section.screens.some((screen) => screen.path === here?.path))
  const [view, setView] = useState({ path, isAdmin })
  const [open, setOpen] = useState(() => localStorage.getItem(openKey) ?? here?.group)
  const waitingAt = useWaitingAt()
  const sum = (some: readonly Screen[]) => some.reduce((total, { path: at }) => total + waitingAt(at), 0)
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
      <nav aria-label="Admin" className={list}>
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
  const adminWaiting = sum(admin.flatMap((section) => section.screens))
  return (
    <nav aria-label="Main" className={list}>
      <ul className="grid gap-0.5">
        {main.map((each) => (
          <Row
            key={each.id}
            row={each}
            here={here}
            isOpen={open === each.id}
            waiting={sum(each.screens)}
            choose={choose}
          />
        ))}
        {first?.screens[0] && (
          <li className="mt-2 flex border-line border-t pt-2">
            <Link
              to={first.screens[0].path}
              onClick={() => setView({ path, isAdmin: true })}
              className={`${row} ${quiet}`}
            >
              <Settings aria-hidden className="size-4" />
              <span className="flex-1">Admin</span>
              <Waiting count={adminWaiting} />
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
  readonly waiting: number
  choose(group: string): void
}
function Row({ row: { id, label, icon: Icon, screens }, here, isOpen, waiting, choose }: RowProps) {
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
          <span className="flex-1 truncate">{label}</span>
          {!(isGroup && isOpen) && <Waiting count={waiting} />}
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

function Entries({ screens }: { readonly screens: readonly Screen[] }) {
  const waitingAt = useWaitingAt()
  const here = screenAt(screens, useRouterState({ select: ({ location }) => location.pathname }))
  return (
    <ul className="grid gap-0.5">
      {screens.map(({ path, label }) => (
        <li key={path} className="flex">
          <Link
            to={path}
            // A page below the path of a screen belongs to it, unless it has a screen of its own.
            activeOptions={{ exact: here?.path !== path || path === '/', includeSearch: false }}
            className={`${row} !h-7 ${quiet}`}
            activeProps={{ className: current }}
          >
            <span className="flex-1 truncate">{label}</span>
            <Waiting count={waitingAt(path)} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** How much waits for the user. The space keeps the name of the link readable. */
const Waiting = ({ count }: { readonly count: number }) =>
  count > 0 && (
    <>
      {' '}
      <Badge tone="bad">
        {count > 99 ? '99+' : count}
        <span className="sr-only"> waiting</span>
      </Badge>
    </>
  )
