import { type ReactNode, useState } from 'react'
import { Button } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Refusal } from '../../../ui/page/states.tsx'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly verb: string
  readonly busy: boolean
  readonly error: unknown
  /** Fields before the password. */
  readonly children?: ReactNode
  submit(password: string): void
}

/** A form that ends with a new password. */
export function NewPasswordForm({ label, hint, verb, busy, error, children, submit }: Props) {
  const [password, setPassword] = useState('')
  return (
    <Form submit={() => submit(password)}>
      {children}
      <TextField
        label={label}
        type="password"
        autoComplete="new-password"
        {...(hint && { hint })}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <Refusal error={error} />
      <Button kind="primary" type="submit" busy={busy} blocked={password === '' && 'Enter a password'}>
        {verb}
      </Button>
    </Form>
  )
}
