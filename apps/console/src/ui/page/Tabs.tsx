import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { Menu } from '../button/Menu.tsx'
import { fitTabs } from './fitTabs.ts'

interface Tab {
  readonly id: string
  readonly label: string
  /** The heading above it in the “More” menu. */
  readonly group?: string
}
interface Props {
  /** What the parts are parts of, for readers of the screen. */
  readonly label: string
  /** The first one is the usual one, which the address does not name. */
  readonly tabs: readonly Tab[]
  readonly open: string
}

const tabClass =
  'flex shrink-0 items-center gap-1 whitespace-nowrap border-transparent border-b-2 px-3 py-2 font-medium text-muted text-sm -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink'

/**
 * The parts of a screen as links; the address says which one is open. Those that do not fit are in a menu, and the one that
 * was last chosen there stays in the row.
 */
export function Tabs({ label, tabs, open }: Props) {
  const row = useRef<HTMLElement>(null)
  const navigate = useNavigate()
  const key = `muster.tabs.${label}`
  const lastChosen = localStorage.getItem(key)
  const { shown, hidden } = useFitting(row, tabs, [open, lastChosen])
  const searchOf = (id: string) => (id === tabs[0]?.id ? {} : { tab: id })
  const choose = (id: string) => {
    localStorage.setItem(key, id)
    void navigate({ to: '.', search: ({ org, site }) => ({ org, site, ...searchOf(id) }) })
  }
  const headings = [...new Set(hidden.map(({ group }) => group))]
  return (
    <nav ref={row} aria-label={label} className="mb-4 flex shrink-0 gap-1 overflow-x-auto border-line border-b">
      {shown.map(({ id, label: name }) => (
        <Link
          key={id}
          data-tab={id}
          to="."
          // Exactly, because the address of the first tab is the beginning of all others.
          activeOptions={{ exact: true }}
          search={({ org, site }) => ({ org, site, ...searchOf(id) })}
          aria-current={open === id ? 'page' : undefined}
          className={tabClass}
        >
          {name}
        </Link>
      ))}
      {hidden.length > 0 && (
        <Menu
          trigger={
            <button type="button" className={tabClass}>
              More
              <ChevronDown aria-hidden className="size-3.5" />
            </button>
          }
          groups={headings.map((heading) => ({
            heading,
            entries: hidden
              .filter(({ group }) => group === heading)
              .map(({ id, label: name }) => ({ label: name, act: () => choose(id) })),
          }))}
        />
      )}
    </nav>
  )
}

const gap = 4
const moreWidth = 84

/** The tabs that the row has room for. All of them are drawn once, to be measured. */
function useFitting(row: RefObject<HTMLElement | null>, tabs: readonly Tab[], preferred: readonly (string | null)[]) {
  const names = tabs.map(({ label }) => label).join('\n')
  const [measured, setMeasured] = useState({ names: '', widths: new Map<string, number>() })
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const { current } = row
    if (!current) return
    const measure = () => setRoom(current.clientWidth)
    const watch = new ResizeObserver(measure)
    watch.observe(current)
    return () => watch.disconnect()
  }, [row])
  useLayoutEffect(() => {
    const { current } = row
    if (!current || measured.names === names) return
    const found = [...current.querySelectorAll<HTMLElement>('[data-tab]')]
    const widths = new Map(found.map((tab) => [tab.dataset.tab ?? '', tab.offsetWidth + gap]))
    setMeasured({ names, widths })
    setRoom(current.clientWidth)
  }, [row, measured, names])
  if (measured.names !== names) return { shown: tabs, hidden: [] }
  const fitting = fitTabs(
    tabs.map(({ id }) => ({ id, width: measured.widths.get(id) ?? 0 })),
    { room, more: moreWidth, preferred },
  )
  return {
    shown: tabs.filter(({ id }) => fitting.has(id)),
    hidden: tabs.filter(({ id }) => !fitting.has(id)),
  }
}
