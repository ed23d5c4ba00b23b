import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Step } from './Gate.tsx'
import { IncompleteLink } from './IncompleteLink.tsx'
import { linkToken } from './linkToken.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'

export function AcceptInvitePage() {
  const [token] = useState(linkToken)
  const [name, setName] = useState('')
  const accept = useMutation({
    mutationFn: (password: string) =>
      api.users.invitations.acceptInvite.mutate({ token, password, ...(name.trim() && { name: name.trim() }) }),
  })
  if (token === '') return <IncompleteLink title="Accept invitation" />
  if (accept.isSuccess)
    return (
      <Step title="Welcome" lead={`You can now sign in as ${accept.data.email}.`}>
        <Link to="/login" className={buttonClass('primary')}>
          Sign in
        </Link>
      </Step>
    )
  return (
    <Step
      title="Accept invitation"
      lead="Set a password. If you already have an account with this address, enter its password."
    >
      <NewPasswordForm
        label="Password"
        verb="Accept invitation"
        busy={accept.isPending}
        error={accept.error}
        submit={accept.mutate}
      >
        <TextField
          label="Your name"
          optional
          autoComplete="name"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </NewPasswordForm>
    </Step>
  )
}
