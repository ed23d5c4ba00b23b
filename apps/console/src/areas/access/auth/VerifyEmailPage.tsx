import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Refusal } from '../../../ui/states.tsx'
import { Dead } from './Dead.tsx'
import { Step } from './Gate.tsx'
import { linkToken } from './linkToken.ts'

/** The link works once, and programs that look into mails open links: so a person has to press. */
export function VerifyEmailPage() {
  const [token] = useState(linkToken)
  const [password, setPassword] = useState('')
  const confirm = useMutation({
    mutationFn: () => api.auth.registration.verifyEmail.mutate({ token, ...(password && { password }) }),
  })
  if (token === '') return <Dead title="Confirm your address" />
  if (confirm.data?.passwordRequired)
    return (
      <Step
        title="Your address is confirmed"
        lead="Now choose a password: ask for a link, and open it from the mail. What was set before is gone."
      >
        <Link to="/forgot-password" className={buttonClass('primary')}>
          Choose a password
        </Link>
      </Step>
    )
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
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          confirm.mutate()
        }}
      >
        <TextField
          label="Password of the registration"
          optional
          type="password"
          autoComplete="current-password"
          hint="Leave it empty if you did not register yourself or do not know it: you choose one afterwards."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Refusal error={confirm.error} />
        <Button kind="primary" type="submit" busy={confirm.isPending}>
          Confirm the address
        </Button>
      </form>
    </Step>
  )
}
