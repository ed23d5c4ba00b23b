import { Tooltip } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

interface Props {
  readonly text: string
  readonly disabled?: boolean
  readonly children: ReactElement
}

/** Words that appear beside something that is pointed at or has the focus. */
export function Tip({ text, disabled = false, children }: Props) {
  return (
    <Tooltip.Root disabled={disabled}>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="max-w-72 rounded-md bg-ink px-2 py-1 text-canvas text-xs shadow-pop">
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
