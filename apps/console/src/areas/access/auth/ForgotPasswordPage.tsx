import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { linkClass, Step } from './Gate.tsx'

export function ForgotPasswordPage() {
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: () => api.auth.password.forgot.mutate({ email }) })
  const back = (
    <Link to="/login" className={linkClass}>
      Back to sign-in
    </Link>
  )
  if (ask.isSuccess)
    return (
      <Step title="Check your email" lead={ask.data.message}>
        {back}
      </Step>
    )
  return (
    <Step title="Reset password" lead="We send you a link to set a new password." after={back}>
      <Form submit={() => ask.mutate()}>
        <TextField
          label="Email"
          type="email"
          required
          autoFocus
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Refusal error={ask.error} />
        <Button
          kind="primary"
          type="submit"
          busy={ask.isPending}
          blocked={email.trim() === '' && 'Enter your email address'}
        >
          Send link
        </Button>
      </Form>
    </Step>
  )
}
