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
