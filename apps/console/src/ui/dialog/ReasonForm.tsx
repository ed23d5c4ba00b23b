import { type ReactNode, useState } from 'react'
import { AreaField } from '../form/fields.tsx'
import { SideForm } from './SideForm.tsx'

interface Props {
  readonly title: string
  readonly description: string
  readonly verb: string
  /** Who sees the reason, unless it is everyone. */
  readonly hint?: string
  readonly busy: boolean
  readonly error: unknown
  /** Why it cannot be sent yet, besides a missing reason. */
  readonly blocked?: string | false
  readonly children?: ReactNode
  submit(reason: string): void
  close(): void
}

/** A form that asks for a reason, for a switch that affects many devices. */
export function ReasonForm({ hint = 'Visible to others', blocked, children, submit, ...form }: Props) {
  const [reason, setReason] = useState('')
  return (
    <SideForm
      open
      {...form}
      blocked={(reason.trim() === '' && 'Enter a reason (visible to others)') || blocked || false}
      submit={() => submit(reason.trim())}
    >
      <AreaField
        autoFocus
        label="Reason"
        hint={hint}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      {children}
    </SideForm>
  )
}
