import type { MfaChallenge } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { api, isApiError } from '../../../api.ts'
import { asCredential, replaceCredential } from '../../../session/credential.ts'
import { addressIsUnproven } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { Refusal } from '../../../ui/page/states.tsx'
import { linkClass, Step } from './Gate.tsx'
import { askPasskey, passkeyObstacle } from './passkey.ts'
import { SecondStep } from './SecondStep.tsx'
import { SsoArrival, takeSsoCode } from './SsoArrival.tsx'
import { forgetOrganization, SsoSignIn, ssoOrganization, useSso } from './SsoSignIn.tsx'
import { ssoErrorWords } from './ssoErrors.ts'
import { UnprovenAddress } from './UnprovenAddress.tsx'

/** Sign-in by email and password with a second factor, by passkey, or through the organization's identity provider. */
export function LoginPage() {
  const [challenge, setChallenge] = useState<MfaChallenge | null>(null)
  const [code, setCode] = useState(takeSsoCode)
  const [unproven, setUnproven] = useState<string | null>(null)
  const isUnproven = addressIsUnproven.use()
  if (unproven !== null || isUnproven) return <UnprovenAddress email={unproven} restart={() => setUnproven(null)} />
  if (challenge) return <SecondStep challenge={challenge} restart={() => setChallenge(null)} />
  if (code)
    return (
      <SsoArrival
        code={code}
        ask={(next) => {
          setCode(null)
          setChallenge(next)
        }}
        restart={() => setCode(null)}
      />
    )
  return <FirstStep ask={setChallenge} prove={setUnproven} />
}

const SsoRequired = z.object({ appCode: z.literal('SSO_REQUIRED'), orgId: z.guid() })
/** The organization that requires SSO, when a correct password was rejected for that reason. */
const closedBy = (error: unknown) => (isApiError(error) ? SsoRequired.safeParse(error.data).data?.orgId : undefined)

function leadOf(ended: 'expired' | 'signed-out' | undefined): ReactNode {
  if (ended === 'expired') return 'Your session has ended. Sign in to continue.'
  return ended ? 'You are signed out.' : null
}

interface Steps {
  ask(challenge: MfaChallenge): void
  /** The email address has to be confirmed first. */
  prove(email: string): void
}

function FirstStep({ ask, prove }: Steps) {
  const { ended, error, org, next } = useSearch({ from: '/gate/login' })
  const [known, setKnown] = useState(() => ssoOrganization(org))
  const { data: sso } = useSso(known)
  const [wantsPassword, setWantsPassword] = useState(false)
  const isClosed = Boolean(org && sso?.enforceSSO) && !wantsPassword
  return (
    <Step
      title="Sign in"
      lead={leadOf(ended)}
      after={
        <>
          {isClosed && (
            <button type="button" className={linkClass} onClick={() => setWantsPassword(true)}>
              Sign in with a password (IT provider)
            </button>
          )}
          {known !== null && !org && sso?.ssoEnabled && (
            <button
              type="button"
              className={linkClass}
              onClick={() => {
                forgetOrganization()
                setKnown(null)
              }}
            >
              Forget this provider
            </button>
          )}
          <Link to="/forgot-password" className={linkClass}>
            Forgot password?
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
      {error && (
        <div role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad-text text-sm">
          {ssoErrorWords(error)}
        </div>
      )}
      {known !== null && <SsoSignIn orgId={known} next={next} isNamed={org !== undefined} />}
      {!isClosed && <PasswordOrPasskey ask={ask} prove={prove} close={setKnown} />}
    </Step>
  )
}

type Entered = Awaited<ReturnType<typeof api.auth.passkeys.login.mutate>>

/** Sign-in with a password or a passkey. */
function PasswordOrPasskey({ ask, prove, close }: Steps & { close(orgId: string): void }) {
  const enter = (tokens: Entered) => {
    if (tokens.emailVerificationRequired) prove(tokens.user.email)
    replaceCredential(asCredential(tokens))
  }
  const form = useSchemaForm(session.login.input, { email: '', password: '' })
  const { errors } = form.formState
  const login = useMutation({
    mutationFn: (given: { email: string; password: string }) => api.auth.session.login.mutate(given),
    onSuccess(answer) {
      if (answer.mfaRequired) ask(answer)
      else enter(answer)
    },
    onError(error) {
      form.resetField('password')
      const orgId = closedBy(error)
      if (orgId) close(orgId)
    },
  })
  const passkey = useMutation({
    async mutationFn() {
      const { challengeToken, options } = await api.auth.passkeys.loginOptions.mutate({})
      return api.auth.passkeys.login.mutate({ challengeToken, passkey: await askPasskey(options) })
    },
    onSuccess: enter,
    onError(error) {
      const orgId = closedBy(error)
      if (orgId) close(orgId)
    },
  })
  const obstacle = passkeyObstacle()
  return (
    <>
      <Form submit={form.handleSubmit((given) => login.mutate(given))}>
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          error={errors.email && 'Enter your email address'}
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
      </Form>
      {obstacle ? (
        <p className="text-muted text-xs">{obstacle}</p>
      ) : (
        <Button busy={passkey.isPending} className="!h-9 w-full" onClick={() => passkey.mutate()}>
          <KeyRound aria-hidden className="size-4" />
          Sign in with passkey
        </Button>
      )}
    </>
  )
}
