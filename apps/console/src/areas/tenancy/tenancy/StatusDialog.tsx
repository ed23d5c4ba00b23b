import type { ReactNode } from 'react'
import { useApiMutation } from '../../../queries.ts'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'

interface Subject<Status> {
  readonly name: string
  readonly status: Status
}
interface Props<Status> {
  readonly subject: Subject<Status>
  readonly to: Status
  readonly step: { readonly verb: string; readonly title: (name: string) => string; readonly consequence: string }
  /** Shown below the consequence. */
  readonly children?: ReactNode
  set(status: Status): Promise<Subject<Status>>
  close(): void
}

/** Confirms before a partner or an organization gets another status. The toast offers to undo it. */
export function StatusDialog<Status extends string>({
  subject: { name, status: before },
  to,
  step,
  children,
  set,
  close,
}: Props<Status>) {
  const change = useApiMutation(set, {
    refresh: ['tenancy'],
    done: ({ status }) =>
      toast(`${name} is now ${status}`, status === before ? {} : { undo: () => change.mutate(before) }),
  })
  return (
    <Confirm
      open
      danger={to === 'suspended' || to === 'churned'}
      title={step.title(name)}
      verb={step.verb}
      act={() => change.mutateAsync(to)}
      close={close}
    >
      {step.consequence}
      {children}
    </Confirm>
  )
}
