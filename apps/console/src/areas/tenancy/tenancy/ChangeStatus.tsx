import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Confirm } from '../../../ui/Confirm.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { type OrganizationStatus, steps } from './status.tsx'

interface StepProps {
  readonly organization: Organization
  readonly to: OrganizationStatus
  close(): void
}

/** Asks before an organisation gets another status; it can be taken back. */
export function StatusStep({ organization, to, close }: StepProps) {
  const { id, name, status: before } = organization
  const set = useApiMutation((status: OrganizationStatus) => api.tenancy.organizations.update.mutate({ id, status }), {
    refresh: ['tenancy'],
    done: ({ status }) =>
      toast(`${name} is ${status} now`, status === before ? {} : { undo: () => set.mutate(before) }),
  })
  const { verb, consequence } = steps[to]
  return (
    <Confirm
      open
      danger={to === 'suspended' || to === 'churned'}
      title={`${verb}: ${name}?`}
      verb={verb}
      act={() => set.mutateAsync(to)}
      close={close}
    >
      {consequence}
    </Confirm>
  )
}

interface DeleteProps {
  readonly organization: Organization
  close(): void
  done?(): void
}

/** Asks, and has the name typed, before an organisation is deleted. */
export function DeleteOrganization({ organization, close, done }: DeleteProps) {
  const { id, name, slug } = organization
  const remove = useApiMutation(() => api.tenancy.organizations.remove.mutate({ id }), {
    refresh: ['tenancy', 'devices', 'groups'],
    done() {
      toast(`${name} is deleted`)
      done?.()
    },
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
      Its people cannot sign in any more, its agents are no longer let in, and nobody sees its devices, sites and
      history again. You cannot take that back here. To only stop changes, suspend it.
    </Confirm>
  )
}
