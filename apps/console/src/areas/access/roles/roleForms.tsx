import { type Role, roles } from '@muster/areas/access/roles/roles.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { Options, SelectField, TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { SideForm } from '../../../ui/SideForm.tsx'
import { toast } from '../../../ui/toasts.tsx'

interface NewProps {
  readonly open: boolean
  readonly tenant: Tenant
  readonly roles: readonly Role[]
  close(): void
}

/** A role with a name; what it allows is chosen on its own page. */
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
      description="Choose on the next page what it allows."
      verb="Create the role"
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
        hint="Shown beside the name when somebody is given a role."
        error={errors.description?.message}
        {...form.register('description')}
      />
      <SelectField
        label="Inherits from"
        optional
        hint="It allows all that this role allows, and what you add."
        {...form.register('parentRoleId', { setValueAs: (id: string | null) => id || null })}
      >
        <option value="">Nothing</option>
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

/** A copy of a role, with all that it allows, which can then be changed. */
export function CloneForm({ role, tenant, close }: CloneProps) {
  const navigate = useNavigate()
  const form = useSchemaForm(roles.clone.input, { id: role.id, name: `Copy of ${role.name}` })
  const copy = useApiMutation(
    (given: Parameters<typeof api.roles.roles.clone.mutate>[0]) => api.roles.roles.clone.mutate(given),
    {
      refresh: ['roles', 'users.users.roles'],
      done: ({ id, name }) => {
        toast(`${name} is made`)
        void navigate({ to: '/roles/$roleId', params: { roleId: id } })
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={`Copy ${role.name}`}
      description="The copy holds all permissions itself, also those that the role inherits."
      verb="Copy"
      busy={copy.isPending}
      error={copy.error}
      submit={form.handleSubmit((given) => copy.mutate({ ...given, ...tenant.input }))}
    >
      <TextField label="Name" error={form.formState.errors.name && 'Enter a name'} {...form.register('name')} />
    </SideForm>
  )
}

/** Asks before a role is deleted. */
export function DeleteRole({ role, close, done }: { readonly role: Role | null; close(): void; done?(): void }) {
  const remove = useApiMutation((id: string) => api.roles.roles.remove.mutate({ id }), {
    // Its own page, if that is open, has nothing to ask for any more.
    refresh: ['roles.roles.list', 'users.users.roles'],
    done() {
      toast('The role is deleted')
      done?.()
    },
  })
  return (
    <Confirm
      danger
      open={role !== null}
      close={close}
      title={`Delete ${role?.name ?? 'the role'}?`}
      verb="Delete"
      act={() => remove.mutateAsync(role?.id ?? '')}
    >
      Nobody has it and no role inherits from it, so nobody loses anything. It cannot be brought back.
    </Confirm>
  )
}
