import { Ellipsis } from 'lucide-react'
import { Menu, type MenuEntry } from './Menu.tsx'

/** What can be done with one row of a list, behind three dots. */
export function RowMenu({
  name,
  groups,
}: {
  readonly name: string
  readonly groups: readonly (readonly MenuEntry[])[]
}) {
  return (
    <Menu
      groups={groups.filter((group) => group.length > 0)}
      trigger={
        <button
          type="button"
          aria-label={`Actions for ${name}`}
          className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <Ellipsis aria-hidden className="size-4" />
        </button>
      }
    />
  )
}
