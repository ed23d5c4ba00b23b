import { useState } from 'react'
import { replaceCredential } from '../../../session/credential.ts'
import { useSignOut } from '../../../shell/useSignOut.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { AuthenticatorSetup, RecoveryCodes, type SetupDone } from './AuthenticatorSetup.tsx'
import { linkClass, Step } from './Gate.tsx'

/** The role or organization requires MFA and the account has none: the user sets it up before anything else. */
export function SecondFactorPage() {
  const [result, setResult] = useState<SetupDone | null>(null)
  const signOut = useSignOut()
  if (result)
    return (
      <Step title="Your recovery codes">
        <RecoveryCodes codes={result.recoveryCodes} />
        <Button kind="primary" onClick={() => replaceCredential(result.credential)}>
          I saved these codes
        </Button>
      </Step>
    )
  return (
    <Step
      title="Set up MFA"
      lead="Your role or organization requires multi-factor authentication."
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
