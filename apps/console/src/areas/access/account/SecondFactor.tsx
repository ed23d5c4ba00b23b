import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { updateCredential } from '../../../session/credential.ts'
import { useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Badge, Card } from '../../../ui/display.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { many } from '../../../ui/quantity.ts'
import { Refusal } from '../../../ui/states.tsx'
import { AuthenticatorSetup, RecoveryCodes } from '../auth/AuthenticatorSetup.tsx'

type Open = 'setup' | 'codes' | 'disable' | null

/** The second step of signing in: on or off, and what helps when it is lost. */
export function SecondFactor() {
  const me = useMe()
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [code, setCode] = useState('')
  const again = () => queries.invalidateQueries({ queryKey: ['me'] })
  const close = () => {
    setOpen(null)
    setCodes(null)
    setCode('')
  }
  const renew = useApiMutation(() => api.auth.mfa.recoveryCodes.mutate({}), {
    done: ({ recoveryCodes }) => setCodes(recoveryCodes),
  })
  const disable = useApiMutation(() => api.auth.mfa.disable.mutate({ code: code.trim() }), {
    async done() {
      await again()
      close()
    },
  })
  const submit = (work: { mutate(): void }) => (event: FormEvent) => {
    event.preventDefault()
    work.mutate()
  }
  return (
    <Card
      title="Second factor"
      actions={<Badge tone={me.mfaEnabled ? 'good' : 'warn'}>{me.mfaEnabled ? 'On' : 'Off'}</Badge>}
    >
      <p className="mb-3 text-muted text-sm">
        {me.mfaEnabled
          ? `Signing in asks for a code. ${many(me.recoveryCodesLeft, 'recovery code is', 'recovery codes are')} left.`
          : 'With a code from an app on your phone, a stolen password alone lets nobody in.'}
      </p>
      <span className="flex flex-wrap gap-2">
        {!me.mfaEnabled && (
          <Button kind="primary" onClick={() => setOpen('setup')}>
            Turn it on
          </Button>
        )}
        {me.mfaEnabled && <Button onClick={() => setOpen('codes')}>New recovery codes</Button>}
        {me.mfaEnabled && <Button onClick={() => setOpen('disable')}>Turn it off</Button>}
      </span>
      <Dialog
        open={open !== null}
        close={close}
        title={
          open === 'disable' ? 'Turn the second factor off' : open === 'codes' ? 'New recovery codes' : 'Second factor'
        }
      >
        {codes ? (
          <RecoveryCodes codes={codes} />
        ) : open === 'setup' ? (
          <AuthenticatorSetup
            done={({ recoveryCodes, credential }) => {
              updateCredential(credential)
              void again()
              setCodes(recoveryCodes)
            }}
          />
        ) : open === 'codes' ? (
          <form className="grid gap-4" onSubmit={submit(renew)}>
            <p className="text-sm">The codes that you have stop working.</p>
            <Refusal error={renew.error} />
            <Button kind="primary" type="submit" busy={renew.isPending}>
              Make new codes
            </Button>
          </form>
        ) : (
          <form className="grid gap-4" onSubmit={submit(disable)}>
            <TextField
              label="Code of your app, or a recovery code"
              autoComplete="one-time-code"
              value={code}
              onChange={({ target }) => setCode(target.value)}
            />
            <Refusal error={disable.error} />
            <Button
              kind="danger"
              type="submit"
              busy={disable.isPending}
              blocked={code.trim() === '' && 'Enter a code first'}
            >
              Turn it off
            </Button>
          </form>
        )}
      </Dialog>
    </Card>
  )
}
