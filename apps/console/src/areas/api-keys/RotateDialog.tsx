import type { ApiKey } from '@muster/areas/api-keys/keys.contract.ts'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useChange } from '../../questions.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Refusal } from '../../ui/states.tsx'

export const overlaps = [
  [0, 'Not at all: it ends now'],
  [3_600, 'One hour'],
  [86_400, 'One day'],
  [604_800, 'One week'],
] as const

interface Props {
  readonly apiKey: ApiKey
  close(): void
  made(secret: string): void
}

/** A new secret for a key; the one before stays good for a while, so that programs can be changed over. */
export function RotateDialog({ apiKey, close, made }: Props) {
  const [overlap, setOverlap] = useState(86_400)
  const rotate = useChange(() => api.apiKeys.keys.rotate.mutate({ id: apiKey.id, overlapSeconds: overlap }), {
    refresh: ['apiKeys'],
    done({ key }) {
      close()
      made(key)
    },
  })
  return (
    <Dialog
      open
      close={close}
      title={`Replace the secret of “${apiKey.name}”?`}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" busy={rotate.isPending} onClick={() => rotate.mutate(undefined)}>
            Replace
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <p className="text-muted">The new secret is shown once. Name, permissions and end stay.</p>
        <SelectField
          label="The present secret stays good for"
          value={overlap}
          onChange={({ target }) => setOverlap(Number(target.value))}
        >
          {overlaps.map(([seconds, label]) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </SelectField>
        <Refusal error={rotate.error} />
      </div>
    </Dialog>
  )
}
