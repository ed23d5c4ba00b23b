import { Outlet, useParams, useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Live } from '../live/Live.tsx'
import { useApiQuery } from '../queries.ts'
import { id } from '../search.ts'
import { waitsForActivation } from '../session/activation.ts'
import { SignedIn, useMe, useScopeKey } from '../session/session.tsx'
import { useSwitching } from '../session/transitions.ts'
import { Loading } from '../ui/page/states.tsx'
import { TimeContext, type TimeSettings } from '../ui/text/time.tsx'
import { useBanners } from './areas.ts'
import { Header } from './Header.tsx'
import { NotFound } from './NotFound.tsx'
import { ShortcutHelp } from './ShortcutHelp.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StreamNotice } from './StreamNotice.tsx'
import { focusList, useShortcuts } from './useShortcuts.ts'
import { WaitingForApproval } from './WaitingForApproval.tsx'

const Palette = lazy(() => import('./palette/Palette.tsx').then((module) => ({ default: module.Palette })))

/** The frame around all screens of a signed-in person. */
export function Shell() {
  const isWaiting = waitsForActivation.use()
  return <SignedIn>{isWaiting ? <WaitingForApproval /> : <Frame />}</SignedIn>
}

function Frame() {
  const [open, setOpen] = useState<'palette' | 'help' | 'menu' | null>(null)
  const wasOpened = useRef(false)
  if (open === 'palette') wasOpened.current = true
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useShortcuts({ palette: () => setOpen('palette'), help: () => setOpen('help') })
  const scope = useScopeKey()
  const banners = useBanners()
  const isSwitching = useSwitching()
  // Another screen begins at its top, with the menu closed.
  useEffect(() => {
    main.current?.scrollTo(0, 0)
    setOpen((now) => (now === 'menu' ? null : now))
  }, [path])
  usePreparedList()
  const times = useTimeSettings()
  return (
    <TimeContext value={times}>
      <Live>
        <nav aria-label="Skip links">
          <a href="#main" className={skipClass}>
            Skip to the content
          </a>
          <button type="button" onClick={() => focusList() || main.current?.focus()} className={skipClass}>
            Skip to the list
          </button>
        </nav>
        <div className="flex h-full">
          <Sidebar path={path} isOpen={open === 'menu'} close={() => setOpen(null)} />
          <div className="flex min-w-0 flex-1 flex-col">
            <Header openMenu={() => setOpen('menu')} openPalette={() => setOpen('palette')} />
            <StreamNotice />
            <Suspense>
              {banners.map(({ id, Content }) => (
                <Content key={id} />
              ))}
            </Suspense>
            <main ref={main} id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
              {isSwitching ? <Loading label="Switching" /> : <Screen key={scope} />}
            </main>
          </div>
        </div>
        {wasOpened.current && (
          <Suspense>
            <Palette open={open === 'palette'} close={() => setOpen(null)} showHelp={() => setOpen('help')} />
          </Suspense>
        )}
        <ShortcutHelp open={open === 'help'} close={() => setOpen(null)} />
      </Live>
    </TimeContext>
  )
}

/** The screen of the address. An ID that cannot exist has none. */
function Screen() {
  const params = useParams({ strict: false })
  const isPossible = Object.entries(params).every(([name, value]) => !name.endsWith('Id') || id(value) !== undefined)
  return isPossible ? <Outlet /> : <NotFound />
}

const skipClass =
  'fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent px-3 py-2 text-white focus:translate-y-0'

const settledMs = 1_000

/** The code of the screen that people open most is fetched while nothing else is asked for. */
function usePreparedList() {
  const router = useRouter()
  useEffect(() => {
    const timer = setTimeout(() => void router.loadRouteChunk(router.routesByPath['/devices']), settledMs)
    return () => clearTimeout(timer)
  }, [router])
}

function useTimeSettings(): TimeSettings {
  const { scope } = useMe()
  const { data } = useApiQuery((api) => api.tenancy.partners.me, {}, { enabled: scope === 'partner', staleMs: 300_000 })
  const settings = data?.settings
  // One object while the settings stay the same: a new one redraws all times on the page.
  return useMemo(() => {
    const { timezone, dateFormat, timeFormat } = settings ?? {}
    const text = (given: unknown) => (typeof given === 'string' ? given : null)
    return { timezone: text(timezone), dateFormat: text(dateFormat), timeFormat: text(timeFormat) }
  }, [settings])
}
