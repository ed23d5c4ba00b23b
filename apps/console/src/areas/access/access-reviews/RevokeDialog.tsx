import type { ReviewItem } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Refusal } from '../../../ui/page/states.tsx'

interface Props {
  readonly item: ReviewItem
  revoke(item: ReviewItem, reason: string): Promise<unknown>
  close(): void
}

/** The reason why a member loses access. The audit log keeps it. */
export function RevokeDialog({ item, revoke, close }: Props) {
  const id = useId()
  const [reason, setReason] = useState(item.reason ?? '')
  const work = useMutation({ mutationFn: () => revoke(item, reason.trim()), onSuccess: close })
  return (
    <Dialog
      open
      close={close}
      title={`Revoke access of ${item.userName}?`}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind="danger"
            type="submit"
            form={id}
            busy={work.isPending}
            blocked={reason.trim() === '' && 'Enter a reason'}
          >
            Revoke access
          </Button>
        </>
      }
    >
      <Form id={id} submit={() => reason.trim() !== '' && work.mutate()} className="grid gap-3">
        <p className="text-muted">They keep access until the review is completed.</p>
        <TextField
          label="Reason"
          autoFocus
          placeholder="Left the company"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <Refusal error={work.error} />
      </Form>
    </Dialog>
  )
}
