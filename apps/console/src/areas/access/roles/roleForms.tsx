import { type Role, roles } from '@muster/areas/access/roles/roles.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'

interface NewProps {
  readonly open: boolean
  readonly tenant: Tenant
  readonly roles: readonly Role[]
  close(): void
}

/** A new role. Its permissions are selected on its own page. */
export function NewRoleForm({ open, tenant, roles: existing, close }: NewProps) {
  const navigate = useNavigate()
  const form = useSchemaForm(roles.create.input, { name: '', description: '', parentRoleId: null })
  const { errors } = form.formState
  const make = useApiMutation(
    (given: Parameters<typeof api.roles.roles.create.mutate>[0]) => api.roles.roles.create.mutate(given),
    {
      refresh: ['roles', 'users.users.roles'],
      done: ({ id }) => void navigate({ to: '/roles/$roleId', params: { roleId: id } }),
    },
  )
  return (
    <SideForm
      open={open}
      close={close}
      title="New role"
      description="Select its permissions on the next page."
      verb="Create role"
      busy={make.isPending}
      error={make.error}
      submit={form.handleSubmit(({ description, ...given }) =>
        make.mutate({ ...given, description: description || null, ...tenant.input }),
      )}
    >
      <TextField label="Name" error={errors.name && 'Enter a name'} {...form.register('name')} />
      <TextField
        label="Description"
        optional
        hint="Shown where a role is selected."
        error={errors.description?.message}
        {...form.register('description')}
      />
      <SelectField
        label="Inherits from"
        optional
        hint="The new role includes all permissions of this role."
        {...form.register('parentRoleId', { setValueAs: (id: string | null) => id || null })}
      >
        <option value="">No role</option>
        <Options of={existing} />
      </SelectField>
    </SideForm>
  )
}

interface CloneProps {
  readonly role: Role
  readonly tenant: Tenant
  close(): void
}

/** A copy of a role with all its permissions, which can then be edited. */
export function CloneForm({ role, tenant, close }: CloneProps) {
  const navigate = useNavigate()
  const form = useSchemaForm(roles.clone.input, { id: role.id, name: `Copy of ${role.name}` })
  const copy = useApiMutation(
    (given: Parameters<typeof api.roles.roles.clone.mutate>[0]) => api.roles.roles.clone.mutate(given),
    {
      refresh: ['roles', 'users.users.roles'],
      done: ({ id, name }) => {
        toast(`${name} created`)
        void navigate({ to: '/roles/$roleId', params: { roleId: id } })
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={`Copy ${role.name}`}
      description="The copy includes the inherited permissions."
      verb="Copy role"
      busy={copy.isPending}
      error={copy.error}
      submit={form.handleSubmit((given) => copy.mutate({ ...given, ...tenant.input }))}
    >
      <TextField label="Name" error={form.formState.errors.name && 'Enter a name'} {...form.register('name')} />
    </SideForm>
  )
}

/** Confirms before a role is deleted. */
export function DeleteRole({ role, close, done }: { readonly role: Role | null; close(): void; done?(): void }) {
  const remove = useApiMutation((id: string) => api.roles.roles.remove.mutate({ id }), {
    // Without the detail query: the page of a deleted role would show “Not found”.
    refresh: ['roles.roles.list', 'users.users.roles'],
    done() {
      toast('Role deleted')
      done?.()
    },
  })
  return (
    <Confirm
      danger
      open={role !== null}
      close={close}
      title={`Delete ${role?.name ?? 'the role'}?`}
      verb="Delete role"
      act={() => remove.mutateAsync(role?.id ?? '')}
    >
      No user has this role and no role inherits from it. You cannot undo this.
    </Confirm>
  )
}
