import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { updateCredential } from '../../../session/credential.ts'
import { useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { AuthenticatorSetup, RecoveryCodes } from '../auth/AuthenticatorSetup.tsx'

type Open = 'setup' | 'codes' | 'disable' | null

/** Multi-factor authentication of the user: on or off, and its recovery codes. */
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
  return (
    <Card
      title="Multi-factor authentication"
      actions={<Badge tone={me.mfaEnabled ? 'good' : 'warn'}>{me.mfaEnabled ? 'On' : 'Off'}</Badge>}
    >
      <p className="mb-3 text-muted text-sm">
        {me.mfaEnabled
          ? `Signing in requires a code. You have ${many(me.recoveryCodesLeft, 'recovery code')} left.`
          : 'A code from an app on your phone protects your account if your password is stolen.'}
      </p>
      <span className="flex flex-wrap gap-2">
        {!me.mfaEnabled && (
          <Button kind="primary" onClick={() => setOpen('setup')}>
            Turn on MFA
          </Button>
        )}
        {me.mfaEnabled && <Button onClick={() => setOpen('codes')}>Create recovery codes</Button>}
        {me.mfaEnabled && <Button onClick={() => setOpen('disable')}>Turn off MFA</Button>}
      </span>
      <Dialog
        open={open !== null}
        close={close}
        title={open === 'disable' ? 'Turn off MFA' : open === 'codes' ? 'Create recovery codes' : 'Set up MFA'}
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
          <Form submit={() => renew.mutate()}>
            <p className="text-sm">Your current recovery codes stop working.</p>
            <Refusal error={renew.error} />
            <Button kind="primary" type="submit" busy={renew.isPending}>
              Create recovery codes
            </Button>
          </Form>
        ) : (
          <Form submit={() => disable.mutate()}>
            <TextField
              label="Code from your app, or a recovery code"
              autoComplete="one-time-code"
              value={code}
              onChange={({ target }) => setCode(target.value)}
            />
            <Refusal error={disable.error} />
            <Button kind="danger" type="submit" busy={disable.isPending} blocked={code.trim() === '' && 'Enter a code'}>
              Turn off MFA
            </Button>
          </Form>
        )}
      </Dialog>
    </Card>
  )
}
