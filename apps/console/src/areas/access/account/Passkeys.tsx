import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Card } from '../../../ui/page/display.tsx'
import { Pending, Refusal } from '../../../ui/page/states.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { RecoveryCodes } from '../auth/AuthenticatorSetup.tsx'
import { makePasskey, passkeyObstacle } from '../auth/passkey.ts'

/** The passkeys of the user, to sign in without a password. */
export function Passkeys() {
  const answer = useApiQuery((client) => client.auth.passkeys.list, {})
  const [leaving, setLeaving] = useState<{ readonly id: string; readonly name: string } | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const add = useApiMutation(
    async () => {
      const passkey = await makePasskey(await api.auth.passkeys.registrationOptions.mutate({}))
      return api.auth.passkeys.add.mutate({ passkey })
    },
    {
      refresh: ['auth.passkeys'],
      done({ recoveryCodes }) {
        setCodes(recoveryCodes)
        toast('Passkey added')
      },
    },
  )
  const keys = answer.data?.data
  const obstacle = passkeyObstacle()
  return (
    <Card
      title="Passkeys"
      actions={
        <Button small blocked={obstacle ?? undefined} busy={add.isPending} onClick={() => add.mutate()}>
          Add passkey
        </Button>
      }
    >
      <div className="grid gap-3">
        {keys === undefined ? (
          <Pending answer={answer} lines={2} />
        ) : keys.length === 0 ? (
          <p className="text-muted text-sm">
            No passkeys yet. A passkey signs you in with your fingerprint, face or security key, and resists phishing.
          </p>
        ) : (
          <ul className="grid gap-2">
            {keys.map(({ id, name, lastUsedAt }) => (
              <li key={id} className="flex items-center justify-between gap-3 text-sm">
                <span>
                  <span className="font-medium">{name}</span>{' '}
                  <span className="text-muted">
                    used <Ago at={lastUsedAt} />
                  </span>
                </span>
                <Button small kind="quiet" onClick={() => setLeaving({ id, name })}>
                  Remove passkey
                </Button>
              </li>
            ))}
          </ul>
        )}
        {obstacle && <p className="text-muted text-sm">{obstacle}</p>}
        <Refusal error={add.error} />
      </div>
      <Dialog open={codes !== null} close={() => setCodes(null)} title="Your recovery codes">
        <RecoveryCodes codes={codes ?? []} />
      </Dialog>
      <Remove passkey={leaving} close={() => setLeaving(null)} />
    </Card>
  )
}

function Remove({
  passkey,
  close,
}: {
  readonly passkey: { readonly id: string; readonly name: string } | null
  close(): void
}) {
  const remove = useApiMutation((id: string) => api.auth.passkeys.remove.mutate({ id }), { refresh: ['auth.passkeys'] })
  return (
    <Confirm
      danger
      open={passkey !== null}
      close={close}
      title={`Remove ${passkey?.name ?? 'the passkey'}?`}
      verb="Remove passkey"
      act={() => remove.mutateAsync(passkey?.id ?? '')}
    >
      You can no longer sign in with it. Remove it on the device too, or the device keeps offering it.
    </Confirm>
  )
}
