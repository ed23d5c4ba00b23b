import { invitations } from '@muster/areas/access/users/invitations/invitations.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { SideForm } from '../../../ui/SideForm.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { everywhere, ReachFields, reachInput } from './ReachFields.tsx'
import { RoleSelect } from './RoleSelect.tsx'

/** Invites somebody by e-mail: with which role, and how far it reaches. */
export function InviteForm({
  open,
  tenant,
  close,
  hand,
}: {
  readonly open: boolean
  readonly tenant: Tenant
  close(): void
  /** Shows a link to hand over, where the server sends no mail. */
  hand(url: string): void
}) {
  const [reach, setReach] = useState(everywhere)
  const { org } = usePlace()
  const form = useSchemaForm(invitations.invite.input, { email: '', name: '', roleId: '' })
  const { errors } = form.formState
  const invite = useApiMutation(
    (given: Parameters<typeof api.users.invitations.invite.mutate>[0]) => api.users.invitations.invite.mutate(given),
    {
      refresh: ['users', 'roles'],
      done({ email, inviteUrl }) {
        if (inviteUrl) hand(inviteUrl)
        else toast(`${email} is invited. The link in the mail works for seven days`)
        close()
        form.reset()
        setReach(everywhere)
      },
    },
  )
  return (
    <SideForm
      open={open}
      close={close}
      title="Invite somebody"
      description={
        tenant.kind === 'partner'
          ? 'Into your company: people who look after organisations.'
          : 'Into this organisation alone: its people see nothing else.'
      }
      verb="Send the invitation"
      busy={invite.isPending}
      error={invite.error}
      submit={form.handleSubmit((given) =>
        invite.mutate({ ...given, ...reachInput(tenant.kind, reach), ...tenant.input }),
      )}
    >
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        error={errors.email && 'Enter an e-mail address'}
        {...form.register('email')}
      />
      <TextField label="Name" autoComplete="off" error={errors.name && 'Enter a name'} {...form.register('name')} />
      <RoleSelect
        tenant={tenant}
        value={form.watch('roleId')}
        error={errors.roleId && 'Choose a role'}
        {...form.register('roleId')}
      />
      <ReachFields tenant={tenant} orgId={org} reach={reach} change={setReach} />
    </SideForm>
  )
}
