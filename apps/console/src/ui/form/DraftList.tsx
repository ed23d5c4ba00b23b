import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../button/Button.tsx'
import { capital } from '../text/words.ts'

interface Keyed {
  /** Tells the drafts apart while they change. */
  readonly key: string
}

interface Props<Draft extends Keyed> {
  /** What one of them is, such as “parameter”. */
  readonly noun: string
  readonly drafts: readonly Draft[]
  /** Why no more can be added. */
  readonly full?: string | false
  /** Whether their order counts, so that they can be moved. */
  readonly isOrdered?: boolean
  make(drafts: readonly Draft[]): Draft
  change(drafts: readonly Draft[]): void
  /** The name of a draft for the buttons; its number unless given. */
  nameOf?(draft: Draft): string
  children(draft: Draft, replace: (draft: Draft) => void, index: number): ReactNode
}

/** Things that are edited together: each can be removed, and moved if their order counts, and more can be added. */
export function DraftList<Draft extends Keyed>(props: Props<Draft>) {
  const { noun, drafts, full, isOrdered = false, make, change, nameOf, children } = props
  const replace = (draft: Draft) => change(drafts.map((each) => (each.key === draft.key ? draft : each)))
  const without = ({ key }: Draft) => drafts.filter((each) => each.key !== key)
  const move = (draft: Draft, to: number) => change(without(draft).toSpliced(to, 0, draft))
  return (
    <>
      {drafts.map((draft, index) => {
        const name = `${noun} ${nameOf?.(draft) || index + 1}`
        return (
          <fieldset
            key={draft.key}
            aria-label={`${capital(noun)} ${index + 1}`}
            className="flex min-w-0 items-start gap-1"
          >
            <div className="grid min-w-0 flex-1 gap-3 rounded-md border border-line p-3">
              {children(draft, replace, index)}
            </div>
            <span className="flex shrink-0 max-sm:flex-col">
              {isOrdered && (
                <>
                  <IconButton
                    label={`Move ${name} up`}
                    blocked={index === 0 && `This is the first ${noun}`}
                    onClick={() => move(draft, index - 1)}
                  >
                    <ArrowUp aria-hidden className="size-4" />
                  </IconButton>
                  <IconButton
                    label={`Move ${name} down`}
                    blocked={index === drafts.length - 1 && `This is the last ${noun}`}
                    onClick={() => move(draft, index + 1)}
                  >
                    <ArrowDown aria-hidden className="size-4" />
                  </IconButton>
                </>
              )}
              <IconButton label={`Remove ${name}`} onClick={() => change(without(draft))}>
                <X aria-hidden className="size-4" />
              </IconButton>
            </span>
          </fieldset>
        )
      })}
      <div>
        <Button small blocked={full} onClick={() => change([...drafts, make(drafts)])}>
          <Plus aria-hidden className="size-3.5" />
          {`Add ${noun}`}
        </Button>
      </div>
    </>
  )
}
