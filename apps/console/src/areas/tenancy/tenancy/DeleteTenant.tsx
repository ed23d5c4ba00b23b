import type { ReactNode } from 'react'
import { useApiMutation } from '../../../queries.ts'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'

interface Props {
  readonly tenant: { readonly name: string; readonly slug: string }
  readonly verb: string
  /** The consequences. */
  readonly children: ReactNode
  remove(): Promise<unknown>
  close(): void
}

/** Asks for the short name before a partner or an organization is deleted. */
export function DeleteTenant({ tenant: { name, slug }, verb, children, remove, close }: Props) {
  const act = useApiMutation(remove, {
    refresh: ['tenancy', 'devices', 'groups'],
    done: () => toast(`${name} deleted`),
  })
  return (
    <Confirm
      open
      danger
      title={`Delete ${name}?`}
      verb={verb}
      type={slug}
      act={() => act.mutateAsync(undefined)}
      close={close}
    >
      {children}
    </Confirm>
  )
}
