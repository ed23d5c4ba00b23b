import type { MfaChallenge } from '@muster/areas/auth/session.contract.ts'
import { session } from '@muster/areas/auth/session.contract.ts'
import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { asCredential, replaceCredential } from '../../session/credential.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { useSchemaForm } from '../../ui/form.ts'
import { Refusal } from '../../ui/states.tsx'
import { linkClass, Step } from './Gate.tsx'
import { askPasskey } from './passkey.ts'
import { SecondStep } from './SecondStep.tsx'

/** The way in: e-mail and password, then a second factor where the account has one; or a passkey alone. */
export function LoginPage() {
  const [challenge, setChallenge] = useState<MfaChallenge | null>(null)
  if (challenge) return <SecondStep challenge={challenge} restart={() => setChallenge(null)} />
  return <FirstStep ask={setChallenge} />
}

function FirstStep({ ask }: { ask(challenge: MfaChallenge): void }) {
  const { ended } = useSearch({ from: '/gate/login' })
  const form = useSchemaForm(session.login.input, { email: '', password: '' })
  const { errors } = form.formState
  const login = useMutation({
    mutationFn: (given: { email: string; password: string }) => api.auth.session.login.mutate(given),
    onSuccess(answer) {
      if (answer.mfaRequired) ask(answer)
      else replaceCredential(asCredential(answer))
    },
    onError: () => form.resetField('password'),
  })
  const passkey = useMutation({
    async mutationFn() {
      const { challengeToken, options } = await api.auth.passkeys.loginOptions.mutate({})
      return api.auth.passkeys.login.mutate({ challengeToken, passkey: await askPasskey(options) })
    },
    onSuccess: (tokens) => replaceCredential(asCredential(tokens)),
  })
  return (
    <Step
      title="Sign in"
      lead={
        ended === 'expired'
          ? 'Your session has ended. Sign in to go on where you were.'
          : ended
            ? 'You are signed out.'
            : null
      }
      after={
        <>
          <Link to="/forgot-password" className={linkClass}>
            Forgotten your password?
          </Link>
          <span>
            New here?{' '}
            <Link to="/register-partner" className={linkClass}>
              Register your company
            </Link>
          </span>
        </>
      }
    >
      <form noValidate className="grid gap-4" onSubmit={form.handleSubmit((given) => login.mutate(given))}>
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          error={errors.email && 'Enter your e-mail address'}
          {...form.register('email')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          error={errors.password && 'Enter your password'}
          {...form.register('password')}
        />
        <Refusal error={login.error ?? passkey.error} />
        <Button kind="primary" type="submit" busy={login.isPending} className="!h-9 w-full">
          Sign in
        </Button>
      </form>
      {browserSupportsWebAuthn() && (
        <Button busy={passkey.isPending} className="!h-9 w-full" onClick={() => passkey.mutate()}>
          <KeyRound aria-hidden className="size-4" />
          Sign in with a passkey
        </Button>
      )}
    </Step>
  )
}
