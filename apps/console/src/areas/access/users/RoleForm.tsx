import type { User } from '@muster/areas/access/users/user.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { ReachFields, reachInput } from './ReachFields.tsx'
import { RoleSelect } from './RoleSelect.tsx'

interface Props {
  readonly user: User
  readonly tenant: Tenant
  close(): void
}

/** Edits a member's name, role and access. */
export function RoleForm({ user, tenant, close }: Props) {
  const { org } = usePlace()
  const [name, setName] = useState(user.name)
  const [reach, setReach] = useState({
    orgAccess: user.orgAccess ?? 'all',
    orgIds: user.orgIds ?? [],
    siteIds: user.siteIds,
    deviceGroupIds: user.deviceGroupIds,
  })
  const form = useSchemaForm(users.role.input, { id: user.id, roleId: user.roleId })
  const { errors } = form.formState
  const save = useApiMutation(
    async (given: Parameters<typeof api.users.users.role.mutate>[0]) => {
      if (name.trim() !== user.name) {
        await api.users.users.update.mutate({ id: user.id, name: name.trim(), ...tenant.input })
      }
      return api.users.users.role.mutate(given)
    },
    {
      refresh: ['users', 'roles'],
      done({ roleName }) {
        toast(`${name.trim()} is now ${roleName}`)
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={`Edit ${user.name}`}
      description={user.email}
      verb="Save user"
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) =>
        save.mutate({ ...given, ...reachInput(tenant.kind, reach), ...tenant.input }),
      )}
    >
      <TextField label="Name" value={name} onChange={({ target }) => setName(target.value)} />
      <RoleSelect
        tenant={tenant}
        value={form.watch('roleId')}
        error={errors.roleId && 'Select a role'}
        {...form.register('roleId')}
      />
      <ReachFields tenant={tenant} orgId={user.orgId ?? org} reach={reach} change={setReach} />
      <p className="text-muted text-xs">Changes apply immediately, also in open sessions.</p>
    </SideForm>
  )
}
