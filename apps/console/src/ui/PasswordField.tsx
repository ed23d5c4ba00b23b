import { useState } from 'react'
import { wantsPassword } from '../api.ts'
import { TextField } from './fields.tsx'

interface Props {
  readonly value: string
  change(value: string): void
}

/** Shows that it is really the person, where an open session is not enough. */
export function PasswordField({ value, change }: Props) {
  return (
    <TextField
      autoFocus
      label="Your password"
      type="password"
      autoComplete="current-password"
      hint="This takes more than an open session: show that it is you."
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}

/** For what may take the password as well: asks for it once the server has refused without. */
export function useConfirmation() {
  const [password, change] = useState('')
  const isAsked = (error: unknown) => wantsPassword(error) || password !== ''
  return {
    /** What to send along. */
    given: password === '' ? {} : { currentPassword: password },
    field: (error: unknown) => isAsked(error) && <PasswordField value={password} change={change} />,
    /** What is left to say of a refusal when the field says that the password is wanted. */
    refusal: <E,>(error: E) => (isAsked(error) && password === '' ? null : error),
    forget: () => change(''),
  }
}
