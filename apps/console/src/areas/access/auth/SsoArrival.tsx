import type { MfaChallenge } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../../api.ts'
import { asCredential, replaceCredential } from '../../../session/credential.ts'
import { Button } from '../../../ui/Button.tsx'
import { Loading, Refusal } from '../../../ui/states.tsx'
import { Step } from './Gate.tsx'

/** The code that a provider's way back carries. It stands behind the `#`, so that it reaches no server's log. */
export function takeSsoCode(): string | null {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('ssoCode')
  // It works once: nothing is gained by keeping it in the address or the history.
  if (code !== null)
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return code
}

interface Props {
  readonly code: string
  ask(challenge: MfaChallenge): void
  restart(): void
}

/** Exchanges the code for a session. */
export function SsoArrival({ code, ask, restart }: Props) {
  const isSent = useRef(false)
  const { mutate, error } = useMutation({
    mutationFn: () => api.sso.flow.exchange.mutate({ code }),
    onSuccess(answer) {
      if (answer.mfaRequired) ask(answer)
      else replaceCredential(asCredential(answer))
    },
  })
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    mutate()
  }, [mutate])
  if (error)
    return (
      <Step title="That did not work" lead="The way back from your provider is good for a minute and for one use.">
        <Refusal error={error} />
        <Button kind="primary" onClick={restart}>
          Start again
        </Button>
      </Step>
    )
  return (
    <Step title="Signing you in">
      <Loading lines={2} label="Signing you in" />
    </Step>
  )
}
