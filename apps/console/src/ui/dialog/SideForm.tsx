import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '../button/Button.tsx'
import { Form } from '../form/Form.tsx'
import { Refusal } from '../page/states.tsx'
import { Dialog } from './Dialog.tsx'

interface Props {
  readonly open: boolean
  readonly title: string
  readonly description?: ReactNode
  readonly verb: string
  readonly busy: boolean
  readonly error: unknown
  /** Why it cannot be sent yet. */
  readonly blocked?: string | false
  /** In the middle and wider, for forms that need the room. */
  readonly wide?: boolean
  readonly children?: ReactNode
  submit(event: FormEvent): unknown
  close(): void
}

/** A form at the side of the page that it belongs to. */
export function SideForm({
  open,
  title,
  description,
  verb,
  busy,
  error,
  blocked,
  wide = false,
  children,
  submit,
  close,
}: Props) {
  const id = useId()
  return (
    <Dialog
      side={!wide}
      wide={wide}
      open={open}
      title={title}
      description={description}
      close={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} busy={busy} blocked={blocked}>
            {verb}
          </Button>
        </>
      }
    >
      <Form id={id} submit={submit}>
        {children}
        <Refusal error={error} />
      </Form>
    </Dialog>
  )
}
