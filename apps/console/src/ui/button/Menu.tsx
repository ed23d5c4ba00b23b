import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'

export interface MenuEntry {
  readonly label: string
  readonly icon?: ReactNode
  readonly keys?: string
  readonly danger?: boolean
  /** Why it cannot be chosen now. */
  readonly blocked?: string | false | undefined
  act(): void
}

interface Headed {
  readonly heading: string | undefined
  readonly entries: readonly MenuEntry[]
}
/** Entries that belong together, with a heading or without. */
type MenuGroup = readonly MenuEntry[] | Headed

const headed = (group: MenuGroup): Headed => ('heading' in group ? group : { heading: undefined, entries: group })

/** A button that opens a list of actions. Groups are set apart by a line. */
export function Menu({ trigger, groups }: { readonly trigger: ReactElement; readonly groups: readonly MenuGroup[] }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="min-w-48 rounded-lg border border-line bg-raised p-1 text-sm shadow-pop outline-none">
            {groups.map(headed).map(({ heading, entries }, index) => (
              <Base.Group
                key={entries[0]?.label ?? index}
                className="border-line [&:not(:first-child)]:mt-1 [&:not(:first-child)]:border-t [&:not(:first-child)]:pt-1"
              >
                {heading && (
                  <Base.GroupLabel className="px-2 py-1 font-medium text-muted text-xs">{heading}</Base.GroupLabel>
                )}
                {entries.map(({ label, icon, keys, danger, blocked, act }) => (
                  <Base.Item
                    key={label}
                    disabled={Boolean(blocked)}
                    onClick={act}
                    className={`flex cursor-default items-center gap-2 rounded px-2 py-1.5 outline-none data-[highlighted]:bg-hover data-[disabled]:text-muted ${danger ? 'text-bad-text' : ''}`}
                  >
                    {icon}
                    <span className="flex-1">
                      {label}
                      {blocked && <span className="block max-w-60 text-muted text-xs">{blocked}</span>}
                    </span>
                    {keys && <Keys keys={keys} />}
                  </Base.Item>
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The keys of a shortcut, such as `g d`. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="flex gap-0.5">
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="min-w-5 rounded border border-line bg-sunken px-1 text-center font-sans text-muted text-xs"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
