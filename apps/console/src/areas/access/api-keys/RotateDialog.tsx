import type { ApiKey } from '@muster/areas/access/api-keys/keys.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { OverlapField } from '../../../ui/form/OverlapField.tsx'
import { Refusal } from '../../../ui/page/states.tsx'

interface Props {
  readonly apiKey: ApiKey
  close(): void
  done(secret: string): void
}

/** A new secret for a key. The previous secret keeps working for a while, so that programs can be updated. */
export function RotateDialog({ apiKey, close, done }: Props) {
  const [overlap, setOverlap] = useState(86_400)
  const rotate = useApiMutation(() => api.apiKeys.keys.rotate.mutate({ id: apiKey.id, overlapSeconds: overlap }), {
    refresh: ['apiKeys'],
    done({ key }) {
      close()
      done(key)
    },
  })
  return (
    <Dialog
      open
      close={close}
      title={`Rotate “${apiKey.name}”?`}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" busy={rotate.isPending} onClick={() => rotate.mutate(undefined)}>
            Rotate key
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <p className="text-muted">The new secret is shown once. Name, permissions and expiration stay.</p>
        <OverlapField label="Previous secret expires after" value={overlap} choose={setOverlap} />
        <Refusal error={rotate.error} />
      </div>
    </Dialog>
  )
}
