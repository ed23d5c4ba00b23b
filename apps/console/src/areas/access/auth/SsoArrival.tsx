import type { MfaChallenge } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../../api.ts'
import { asCredential, replaceCredential } from '../../../session/credential.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Loading, Refusal } from '../../../ui/page/states.tsx'
import { Step } from './Gate.tsx'

/** The one-time code of the provider's redirect. It follows the `#`, so that no server logs it. */
export function takeSsoCode(): string | null {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('ssoCode')
  // It works once, so the address and the history need not keep it.
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
      <Step title="Sign-in failed" lead="The link from your provider works once and expires after one minute.">
        <Refusal error={error} />
        <Button kind="primary" onClick={restart}>
          Start over
        </Button>
      </Step>
    )
  return (
    <Step title="Signing you in">
      <Loading lines={2} label="Signing you in" />
    </Step>
  )
}
