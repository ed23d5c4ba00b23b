import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { asCredential, type Credential } from '../../../session/credential.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyText } from '../../../ui/display.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Refusal } from '../../../ui/states.tsx'

export interface SetupDone {
  readonly recoveryCodes: readonly string[]
  readonly credential: Credential
}

/** Enrols an authenticator app: scan, enter the code, keep the recovery codes. */
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
  const begin = (event: FormEvent) => {
    event.preventDefault()
    setup.mutate()
  }
  const finish = (event: FormEvent) => {
    event.preventDefault()
    enable.mutate()
  }
  if (!setup.data)
    return (
      <form className="grid gap-4" onSubmit={begin}>
        <Refusal error={setup.error} />
        <Button kind="primary" type="submit" busy={setup.isPending}>
          Set up an authenticator app
        </Button>
      </form>
    )
  return (
    <form className="grid gap-4" onSubmit={finish}>
      <p className="text-sm">Scan this with your authenticator app, or enter the key by hand.</p>
      <img
        src={setup.data.qrCodeDataUrl}
        alt="QR code for the authenticator app"
        className="mx-auto size-44 rounded-lg bg-white p-2"
      />
      <CopyText text={setup.data.secret} label="the key" wrap />
      <TextField
        label="Code that the app shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-widest"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <Refusal error={enable.error} />
      <Button
        kind="primary"
        type="submit"
        busy={enable.isPending}
        blocked={code.trim() === '' && 'Enter the code first'}
      >
        Turn it on
      </Button>
    </form>
  )
}

/** The codes for the day on which the phone is lost: shown this once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <div className="grid gap-3">
      <p className="text-sm">
        Keep these recovery codes where only you find them. Each works once, and they are not shown again.
      </p>
      <CopyText text={codes.join('\n')} label="the recovery codes" wrap />
    </div>
  )
}
