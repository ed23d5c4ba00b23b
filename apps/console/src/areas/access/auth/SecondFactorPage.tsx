import { useState } from 'react'
import { replaceCredential } from '../../../session/credential.ts'
import { useSignOut } from '../../../shell/useSignOut.ts'
import { Button } from '../../../ui/Button.tsx'
import { AuthenticatorSetup, RecoveryCodes, type SetupDone } from './AuthenticatorSetup.tsx'
import { linkClass, Step } from './Gate.tsx'

/** The role wants a second factor that the account does not have yet: nothing else can be done before. */
export function SecondFactorPage() {
  const [result, setResult] = useState<SetupDone | null>(null)
  const signOut = useSignOut()
  if (result)
    return (
      <Step title="Your recovery codes">
        <RecoveryCodes codes={result.recoveryCodes} />
        <Button kind="primary" onClick={() => replaceCredential(result.credential)}>
          I have kept them
        </Button>
      </Step>
    )
  return (
    <Step
      title="Add a second factor"
      lead="Your role or organisation asks for one before you can go on."
      after={
        <button type="button" className={linkClass} onClick={() => signOut({ everywhere: false })}>
          Sign out
        </button>
      }
    >
      <AuthenticatorSetup done={setResult} />
    </Step>
  )
}
