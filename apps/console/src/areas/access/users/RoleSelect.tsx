import type { ComponentProps } from 'react'
import { useApiQuery } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { SelectField } from '../../../ui/form/fields.tsx'

type Props = Omit<ComponentProps<typeof SelectField>, 'children' | 'label'> & { readonly tenant: Tenant }

/** The roles of the tenant. Roles with more permissions than the signed-in user has cannot be selected. */
export function RoleSelect({ tenant, ...rest }: Props) {
  const roles = useApiQuery((api) => api.users.users.roles, tenant.input, { staleMs: 30_000 }).data?.data ?? []
  const chosen = roles.find(({ id }) => id === rest.value)
  return (
    <SelectField label="Role" hint={chosen?.description ?? undefined} {...rest}>
      <option value="">Select a role</option>
      {roles.map(({ id, name, assignable }) => (
        <option key={id} value={id} disabled={!assignable}>
          {assignable ? name : `${name} (exceeds your permissions)`}
        </option>
      ))}
    </SelectField>
  )
}
