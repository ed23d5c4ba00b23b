import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Confirm } from '../../../ui/Confirm.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { type PartnerStatus, verbTo } from './partnerColumns.tsx'

const consequences: Readonly<Record<PartnerStatus, string>> = {
  pending: 'Its people can sign in, but see nothing until it is active.',
  active: 'Its people can sign in and work from now on.',
  suspended: 'Its people are shut out at once, in open windows too. Its devices keep reporting; nothing is lost.',
  churned: 'The partner has left: its people are shut out at once. Its data stays, and you can activate it again.',
}

interface StepProps {
  readonly partner: Partner
  readonly to: PartnerStatus
  close(): void
}

/** Asks before a partner gets another status; it can be taken back. */
export function PartnerStep({ partner, to, close }: StepProps) {
  const { id, name, status: before } = partner
  const set = useApiMutation((status: PartnerStatus) => api.tenancy.partners.update.mutate({ id, status }), {
    refresh: ['tenancy'],
    done: ({ status }) =>
      toast(`${name} is ${status} now`, status === before ? {} : { undo: () => set.mutate(before) }),
  })
  return (
    <Confirm
      open
      danger={to === 'suspended' || to === 'churned'}
      title={`${verbTo(to)}: ${name}?`}
      verb={verbTo(to)}
      act={() => set.mutateAsync(to)}
      close={close}
    >
      {consequences[to]}
    </Confirm>
  )
}

/** Asks, and has the short name typed, before a partner is deleted. */
export function DeletePartner({ partner, close }: { readonly partner: Partner; close(): void }) {
  const { id, name, slug } = partner
  const remove = useApiMutation(() => api.tenancy.partners.remove.mutate({ id }), {
    refresh: ['tenancy'],
    done: () => toast(`${name} is deleted`),
  })
  return (
    <Confirm
      open
      danger
      title={`Delete ${name}?`}
      verb="Delete"
      type={slug}
      act={() => remove.mutateAsync(undefined)}
      close={close}
    >
      All its organisations go with it: nobody of them can sign in, no agent is let in, and nobody sees its data again.
      You cannot take that back here.
    </Confirm>
  )
}
