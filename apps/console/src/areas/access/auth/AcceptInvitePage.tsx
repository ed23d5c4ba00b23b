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

export function AcceptInvitePage() {
  const [token] = useState(linkToken)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () =>
      api.users.invitations.acceptInvite.mutate({ token, password, ...(name.trim() && { name: name.trim() }) }),
  })
  if (token === '') return <Dead title="Accept the invitation" />
  if (accept.isSuccess)
    return (
      <Step title="Welcome" lead={`You can sign in as ${accept.data.email} now.`}>
        <Link to="/login" className={buttonClass('primary')}>
          Sign in
        </Link>
      </Step>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate()
  }
  return (
    <Step
      title="Accept the invitation"
      lead="Choose a password. If you have an account with this address already, enter its password."
    >
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Your name"
          optional
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Refusal error={accept.error} />
        <Button
          kind="primary"
          type="submit"
          busy={accept.isPending}
          blocked={password === '' && 'Enter a password first'}
        >
          Accept
        </Button>
      </form>
    </Step>
  )
}
