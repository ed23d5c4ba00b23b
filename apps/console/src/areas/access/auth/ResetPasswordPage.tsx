import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Refusal } from '../../../ui/states.tsx'
import { Dead } from './Dead.tsx'
import { Step } from './Gate.tsx'
import { linkToken } from './linkToken.ts'

export function ResetPasswordPage() {
  const [token] = useState(linkToken)
  const [newPassword, setPassword] = useState('')
  const reset = useMutation({ mutationFn: () => api.auth.password.reset.mutate({ token, newPassword }) })
  if (token === '') return <Dead title="Set a new password" />
  if (reset.isSuccess)
    return (
      <Step title="Your password is set" lead="All your sessions have ended. Sign in with the new password.">
        <Link to="/login" className={buttonClass('primary')}>
          Sign in
        </Link>
      </Step>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate()
  }
  return (
    <Step title="Set a new password" lead="All your sessions end, so that nobody who knew the old one stays in.">
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="Long is better than complicated: a few words that only you put together."
          value={newPassword}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Refusal error={reset.error} />
        <Button
          kind="primary"
          type="submit"
          busy={reset.isPending}
          blocked={newPassword === '' && 'Enter a password first'}
        >
          Set the password
        </Button>
      </form>
    </Step>
  )
}
