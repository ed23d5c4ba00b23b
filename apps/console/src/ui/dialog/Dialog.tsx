import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'

interface Props {
  readonly open: boolean
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons at the end, the main one last. */
  readonly actions?: ReactNode
  /** On the right edge, for forms that are filled in while the page stays in sight. */
  readonly side?: boolean
  readonly wide?: boolean
  close(): void
}

const backdrop =
  'fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0'
const middle =
  'fixed top-[12vh] left-1/2 z-40 max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 rounded-xl border border-line transition-[opacity,scale] duration-150 data-[ending-style]:scale-[0.98] data-[starting-style]:scale-[0.98] data-[ending-style]:opacity-0 data-[starting-style]:opacity-0'
const edge =
  'fixed inset-y-0 right-0 z-40 w-[min(30rem,100vw)] border-line border-l transition-transform duration-200 data-[ending-style]:translate-x-full data-[starting-style]:translate-x-full'

/** What has to be answered before work goes on, or a form at the side. */
export function Dialog({ open, title, description, children, actions, side = false, wide = false, close }: Props) {
  const popup = useRef<HTMLDivElement>(null)
  // A form is there to be filled in: its first field has the focus. On a touch screen that would bring up the keyboard.
  const firstField = (how: string) =>
    how === 'touch' || (popup.current?.querySelector<HTMLElement>('form input, form select, form textarea') ?? true)
  return (
    <Base.Root open={open} onOpenChange={(wanted) => !wanted && close()}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup
          ref={popup}
          initialFocus={side ? firstField : true}
          className={`flex flex-col overflow-hidden bg-raised shadow-pop outline-none ${side ? edge : `${middle} ${wide ? 'max-w-3xl' : 'max-w-md'}`}`}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Base.Title className="font-semibold text-lg">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-1 text-muted text-sm" render={<div />}>
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close aria-label="Close" className="-mr-2 rounded-md p-1.5 text-muted hover:bg-hover hover:text-ink">
              <X aria-hidden className="size-4" />
            </Base.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {actions && <footer className="flex justify-end gap-2 border-line border-t px-5 py-3">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
