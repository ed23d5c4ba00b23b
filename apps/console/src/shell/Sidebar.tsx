import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { Navigation } from './Navigation.tsx'
import { Person } from './Person.tsx'

interface Props {
  readonly path: string
  /** On narrow windows: whether the drawer is open. */
  readonly isOpen: boolean
  close(): void
}

/** The navigation at the side. Narrow windows show it as a drawer over the page. */
export function Sidebar({ path, isOpen, close }: Props) {
  return (
    <>
      <aside className="hidden w-56 shrink-0 flex-col gap-1 border-line border-r bg-surface px-2.5 py-3 md:flex">
        <div className="mb-1 flex items-center gap-2 px-1">
          <Brand />
        </div>
        <Navigation path={path} />
        <Person />
      </aside>
      <Dialog.Root open={isOpen} onOpenChange={(wanted) => !wanted && close()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim md:hidden" />
          <Dialog.Popup
            aria-label="Menu"
            className="fixed inset-y-0 left-0 z-40 flex w-[min(18rem,85vw)] flex-col gap-1 border-line border-r bg-surface px-2.5 py-3 shadow-pop outline-none md:hidden"
          >
            <div className="mb-1 flex items-center gap-2 px-1">
              <Brand />
              <Dialog.Close
                aria-label="Close the menu"
                className="ml-auto rounded-md p-1.5 text-muted hover:bg-hover hover:text-ink"
              >
                <X aria-hidden className="size-4" />
              </Dialog.Close>
            </div>
            <Navigation path={path} />
            <Person />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  )
}

const Brand = () => (
  <>
    <img src="/muster.svg" alt="" className="size-6" />
    <span className="font-semibold tracking-tight">Muster</span>
  </>
)
