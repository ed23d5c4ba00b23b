import { invitations } from '@muster/areas/access/users/invitations/invitations.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { everywhere, ReachFields, reachInput } from './ReachFields.tsx'
import { RoleSelect } from './RoleSelect.tsx'

/** Invites a user by email, with a role and the organizations that they can access. */
export function InviteForm({
  open,
  tenant,
  close,
  showLink,
}: {
  readonly open: boolean
  readonly tenant: Tenant
  close(): void
  /** Shows the invitation link where no mail server is configured. */
  showLink(url: string): void
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
        if (inviteUrl) showLink(inviteUrl)
        else toast(`Invitation sent to ${email}`)
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
      title="Invite user"
      description={
        tenant.kind === 'partner'
          ? 'They join your company. The link in the email works for 7 days.'
          : 'They see only this organization. The link in the email works for 7 days.'
      }
      verb="Send invitation"
      busy={invite.isPending}
      error={invite.error}
      submit={form.handleSubmit((given) =>
        invite.mutate({ ...given, ...reachInput(tenant.kind, reach), ...tenant.input }),
      )}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        error={errors.email && 'Enter an email address'}
        {...form.register('email')}
      />
      <TextField label="Name" autoComplete="off" error={errors.name && 'Enter a name'} {...form.register('name')} />
      <RoleSelect
        tenant={tenant}
        value={form.watch('roleId')}
        error={errors.roleId && 'Select a role'}
        {...form.register('roleId')}
      />
      <ReachFields tenant={tenant} orgId={org} reach={reach} change={setReach} />
    </SideForm>
  )
}
