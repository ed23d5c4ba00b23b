import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { Button, IconButton } from '../../../../ui/button/Button.tsx'
import { Dialog } from '../../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { Refusal } from '../../../../ui/page/states.tsx'

interface Props {
  readonly organizations: readonly Organization[]
  close(): void
}

/** The order of organizations in all lists, changed by dragging or by the arrow keys. */
export function OrderDialog({ organizations, close }: Props) {
  const [order, setOrder] = useState(() => [...organizations])
  const [dragged, setDragged] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const save = useApiMutation((ids: string[]) => api.tenancy.organizations.order.mutate({ organizationOrder: ids }), {
    refresh: ['tenancy'],
    done() {
      const before = organizations.map(({ id }) => id)
      toast('Order saved', { undo: () => save.mutate(before) })
      close()
    },
  })
  const move = (from: number, to: number) => {
    const moved = order[from]
    if (moved === undefined || to < 0 || to >= order.length) return
    setOrder(order.toSpliced(from, 1).toSpliced(to, 0, moved))
  }
  const press = (event: KeyboardEvent, index: number) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    move(index, index + step)
    list.current?.querySelectorAll<HTMLElement>('[data-handle]')[index + step]?.focus()
  }
  return (
    <Dialog
      open
      close={close}
      title="Sort organizations"
      description="Applies to your whole company. Drag a row, or move the focused row with ↑ and ↓."
      actions={
        <>
          <Button onClick={() => setOrder(order.toSorted((one, other) => one.name.localeCompare(other.name)))}>
            Sort by name
          </Button>
          <Button kind="primary" busy={save.isPending} onClick={() => save.mutate(order.map(({ id }) => id))}>
            Save order
          </Button>
        </>
      }
    >
      <ol ref={list} className="grid gap-1">
        {order.map(({ id, name }, index) => (
          <li
            key={id}
            draggable
            onDragStart={() => setDragged(index)}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => event.preventDefault()}
            onDragEnter={() => {
              if (dragged === null || dragged === index) return
              move(dragged, index)
              setDragged(index)
            }}
            className={`flex items-center gap-2 rounded-md border border-line px-1.5 py-1 ${dragged === index ? 'bg-accent-soft' : 'bg-surface'}`}
          >
            <button
              type="button"
              data-handle
              aria-label={`${name}, position ${index + 1} of ${order.length}. Move with the arrow keys`}
              onKeyDown={(event) => press(event, index)}
              className="cursor-grab rounded p-1 text-muted"
            >
              <GripVertical aria-hidden className="size-4" />
            </button>
            <span className="min-w-0 flex-1 truncate text-sm">{name}</span>
            <IconButton
              small
              label={`Move ${name} up`}
              blocked={index === 0 && 'This is the first'}
              onClick={() => move(index, index - 1)}
            >
              <ArrowUp aria-hidden className="size-3.5" />
            </IconButton>
            <IconButton
              small
              label={`Move ${name} down`}
              blocked={index === order.length - 1 && 'This is the last'}
              onClick={() => move(index, index + 1)}
            >
              <ArrowDown aria-hidden className="size-3.5" />
            </IconButton>
          </li>
        ))}
      </ol>
      <Refusal error={save.error} />
    </Dialog>
  )
}
