import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Refusal } from './states.tsx'

interface Props {
  readonly open: boolean
  readonly title: string
  readonly description?: ReactNode
  readonly verb: string
  readonly busy: boolean
  readonly error: unknown
  readonly children: ReactNode
  submit(event: FormEvent): void
  close(): void
}

/** A form at the side of the page that it belongs to. */
export function SideForm({ open, title, description, verb, busy, error, children, submit, close }: Props) {
  const id = useId()
  return (
    <Dialog
      side
      open={open}
      title={title}
      description={description}
      close={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} busy={busy}>
            {verb}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="grid gap-4">
        {children}
        <Refusal error={error} />
      </form>
    </Dialog>
  )
}
