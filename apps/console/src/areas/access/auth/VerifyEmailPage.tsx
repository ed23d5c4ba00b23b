import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button, buttonClass } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { Step } from './Gate.tsx'
import { IncompleteLink } from './IncompleteLink.tsx'
import { linkToken } from './linkToken.ts'

/** Mail scanners open links, and the link works once: so the user has to press a button. */
export function VerifyEmailPage() {
  const [token] = useState(linkToken)
  const [password, setPassword] = useState('')
  const confirm = useMutation({
    mutationFn: () => api.auth.registration.verifyEmail.mutate({ token, ...(password && { password }) }),
  })
  if (token === '') return <IncompleteLink title="Confirm your address" />
  if (confirm.data?.passwordRequired)
    return (
      <Step
        title="Address confirmed"
        lead="Now set a password. We send you a link for it. An earlier password no longer works."
      >
        <Link to="/forgot-password" className={buttonClass('primary')}>
          Set a password
        </Link>
      </Step>
    )
  if (confirm.isSuccess)
    return (
      <Step title="Address confirmed" lead="If your company is pending approval, we email you when it is approved.">
        <Link to="/login" className={buttonClass('primary')}>
          Sign in
        </Link>
      </Step>
    )
  return (
    <Step title="Confirm your address" lead="Confirm that this address is yours.">
      <Form submit={() => confirm.mutate()}>
        <TextField
          label="Password from the registration"
          optional
          type="password"
          autoComplete="current-password"
          hint="Leave it empty if you don’t know it. You can set one later."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Refusal error={confirm.error} />
        <Button kind="primary" type="submit" busy={confirm.isPending}>
          Confirm address
        </Button>
      </Form>
    </Step>
  )
}
