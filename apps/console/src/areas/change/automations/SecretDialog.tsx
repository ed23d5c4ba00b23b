import { ShownOnce } from '../../../ui/dialog/ShownOnce.tsx'
import { CopyText } from '../../../ui/page/display.tsx'

export interface ShownSecret {
  /** Of the automation. */
  readonly id: string
  readonly text: string
}

/** Where programs start an automation. */
export const triggerAddress = (id: string): string => `${window.location.origin}/api/v1/automations/${id}/trigger`

/** The secret of a webhook trigger that was just made, with the address that it is for. */
export const SecretDialog = ({ secret, close }: { readonly secret: ShownSecret | null; close(): void }) => (
  <ShownOnce title="Secret of the webhook" text={secret?.text ?? null} label="the secret" close={close}>
    <div className="grid gap-1">
      <p className="font-medium text-sm">Address</p>
      <CopyText text={triggerAddress(secret?.id ?? '')} label="the address" wrap />
    </div>
    <p className="text-muted text-sm">
      Sign each request as Standard Webhooks describes, or send a credential with the permission automations:write.
    </p>
  </ShownOnce>
)
