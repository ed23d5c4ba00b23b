import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'

const manager = Toast.createToastManager()

interface Options {
  readonly bad?: boolean
  /** The page that explains it. It opens in a new tab, so that the input is kept. */
  readonly about?: string
  undo?(): void
}

/** Says what happened, for a few seconds; with `undo`, offers to take it back. */
export function toast(text: string, options: Options = {}) {
  const id = manager.add({
    title: text,
    type: options.bad ? 'bad' : 'good',
    priority: options.bad ? 'high' : 'low',
    timeout: options.bad || options.undo ? 10_000 : 5_000,
    ...(options.about && {
      actionProps: { children: 'About this error', onClick: () => window.open(options.about, '_blank', 'noopener') },
    }),
    ...(options.undo && {
      actionProps: {
        children: 'Undo',
        onClick: () => {
          manager.close(id)
          options.undo?.()
        },
      },
    }),
  })
}

/** The corner in which toasts appear. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((each) => (
    <Toast.Root
      key={each.id}
      toast={each}
      className={`rounded-lg border bg-raised py-2.5 pr-2 pl-3 shadow-pop transition-opacity data-[ending-style]:opacity-0 ${each.type === 'bad' ? 'border-bad' : 'border-line'}`}
    >
      <Toast.Content className="flex items-center gap-2">
        <span aria-hidden className={`size-2 shrink-0 rounded-full ${each.type === 'bad' ? 'bg-bad' : 'bg-good'}`} />
        <Toast.Title className="flex-1 text-sm" render={<div />} />
        <Toast.Action className="rounded px-2 py-1 font-medium text-accent-text text-sm hover:bg-hover" />
        <Toast.Close aria-label="Dismiss" className="rounded p-1 text-muted hover:bg-hover">
          <X aria-hidden className="size-3.5" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
