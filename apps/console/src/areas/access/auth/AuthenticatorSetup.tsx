import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { asCredential, type Credential } from '../../../session/credential.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { CopyText } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'

export interface SetupDone {
  readonly recoveryCodes: readonly string[]
  readonly credential: Credential
}

/** Sets up an authenticator app: scan, enter the code, save the recovery codes. */
export function AuthenticatorSetup({ done }: { done(result: SetupDone): void }) {
  const [code, setCode] = useState('')
  const setup = useMutation({
    mutationFn: () => api.auth.mfa.setup.mutate({}),
  })
  const enable = useMutation({
    mutationFn: () => api.auth.mfa.enable.mutate({ code: code.trim() }),
    onSuccess: (answer) => done({ recoveryCodes: answer.recoveryCodes, credential: asCredential(answer) }),
    onError: () => setCode(''),
  })
  if (!setup.data)
    return (
      <Form submit={() => setup.mutate()}>
        <Refusal error={setup.error} />
        <Button kind="primary" type="submit" busy={setup.isPending}>
          Set up authenticator app
        </Button>
      </Form>
    )
  return (
    <Form submit={() => enable.mutate()}>
      <p className="text-sm">Scan the QR code with your authenticator app, or enter the key.</p>
      <img
        src={setup.data.qrCodeDataUrl}
        alt="QR code for the authenticator app"
        className="mx-auto size-44 rounded-lg bg-white p-2"
      />
      <CopyText text={setup.data.secret} label="the key" wrap />
      <TextField
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-widest"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <Refusal error={enable.error} />
      <Button kind="primary" type="submit" busy={enable.isPending} blocked={code.trim() === '' && 'Enter the code'}>
        Turn on MFA
      </Button>
    </Form>
  )
}

/** The recovery codes of a lost phone, shown once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <div className="grid gap-3">
      <p className="text-sm">
        Save these recovery codes in a safe place. Each code works once. You won’t see them again.
      </p>
      <CopyText text={codes.join('\n')} label="the recovery codes" wrap />
    </div>
  )
}
