import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Refusal } from '../../ui/states.tsx'
import { Dead } from './Dead.tsx'
import { Step } from './Gate.tsx'
import { linkToken } from './linkToken.ts'

/** The link works once, and programs that look into mails open links: so a person has to press. */
export function VerifyEmailPage() {
  const [token] = useState(linkToken)
  const confirm = useMutation({ mutationFn: () => api.auth.registration.verifyEmail.mutate({ token }) })
  if (token === '') return <Dead title="Confirm your address" />
  if (confirm.isSuccess)
    return (
      <Step
        title="Your address is confirmed"
        lead="If your company still waits for approval, we write to you when it is there."
      >
        <Link to="/login" className={buttonClass('primary')}>
          Sign in
        </Link>
      </Step>
    )
  return (
    <Step title="Confirm your address" lead="Press the button to confirm that this address is yours.">
      <Refusal error={confirm.error} />
      <Button kind="primary" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Confirm the address
      </Button>
    </Step>
  )
}
