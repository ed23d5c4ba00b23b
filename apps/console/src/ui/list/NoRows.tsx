import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button/Button.tsx'
import { Note } from '../page/states.tsx'

interface Props {
  readonly icon: LucideIcon
  /** The title when there is nothing to list, such as “No sites yet”. */
  readonly title: string
  /** The next step. */
  readonly action?: ReactNode
  readonly children?: ReactNode
  /** Clears the search and the filters; absent when none is set. */
  readonly clear?: (() => void) | false | '' | undefined
}

/** An empty list: what to do first, or how to get out of a search without matches. */
export function NoRows({ icon, title, action, children, clear }: Props) {
  if (clear)
    return (
      <Note icon={icon} title="No matches" action={<Button onClick={clear}>Clear filters</Button>}>
        Try another search, or clear the filters.
      </Note>
    )
  return (
    <Note icon={icon} title={title} action={action}>
      {children}
    </Note>
  )
}
