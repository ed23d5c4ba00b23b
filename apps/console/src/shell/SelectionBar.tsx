import { type LucideIcon, X } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../ui/button/Button.tsx'
import { many } from '../ui/text/quantity.ts'
import { selectedRows } from './selection.ts'

interface Action {
  readonly label: string
  readonly icon: LucideIcon
  /** More search terms for the palette. */
  readonly words?: string
  /** Why it is not possible. */
  readonly blocked: string | false | undefined
  act(): void
}
interface Props {
  readonly count: number
  /** One of the rows, such as “device”. */
  readonly one: string
  readonly actions: readonly Action[]
  clear(): void
}

/** The actions for the selected rows of a list, which the palette offers too. Shown while some are selected. */
export function SelectionBar({ count, one, actions, clear }: Props) {
  const label = many(count, one)
  useEffect(() => {
    selectedRows.set(count === 0 ? null : { label, actions: actions.filter(({ blocked }) => !blocked) })
  })
  useEffect(() => () => selectedRows.set(null), [])
  return (
    <>
      <div role="status" className="sr-only">
        {count > 0 ? `${label} selected` : ''}
      </div>
      {count > 0 && (
        <section
          aria-label={`Selected ${one}s`}
          className="fixed bottom-5 left-1/2 z-20 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-wrap items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2 shadow-pop"
        >
          <span className="px-1 font-medium text-sm tabular">{label}</span>
          {actions.map(({ label: verb, icon: Icon, blocked, act }) => (
            <Button key={verb} small blocked={blocked} onClick={act}>
              <Icon aria-hidden className="size-4" />
              {verb}
            </Button>
          ))}
          <Button small kind="quiet" aria-label="Clear selection" onClick={clear}>
            <X aria-hidden className="size-4" />
          </Button>
        </section>
      )}
    </>
  )
}
