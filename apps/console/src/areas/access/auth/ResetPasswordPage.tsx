import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { Step } from './Gate.tsx'
import { IncompleteLink } from './IncompleteLink.tsx'
import { linkToken } from './linkToken.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'

export function ResetPasswordPage() {
  const [token] = useState(linkToken)
  const reset = useMutation({
    mutationFn: (newPassword: string) => api.auth.password.reset.mutate({ token, newPassword }),
  })
  if (token === '') return <IncompleteLink title="Set a new password" />
  if (reset.isSuccess)
    return (
      <Step title="Password set" lead="All your sessions have ended. Sign in with the new password.">
        <Link to="/login" className={buttonClass('primary')}>
          Sign in
        </Link>
      </Step>
    )
  return (
    <Step title="Set a new password" lead="This ends all your sessions.">
      <NewPasswordForm
        label="New password"
        hint="A long password of several words is best."
        verb="Set password"
        busy={reset.isPending}
        error={reset.error}
        submit={reset.mutate}
      />
    </Step>
  )
}
