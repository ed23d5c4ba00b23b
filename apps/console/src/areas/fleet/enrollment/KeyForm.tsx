import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import type { Place } from '../../../shell/place.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { OrganizationField } from '../../tenancy/tenancy/organizations/OrganizationField.tsx'
import type { IssuedKey } from './NewKey.tsx'

interface Props {
  readonly place: Place
  done(issued: IssuedKey): void
  close(): void
}

const days = [1, 7, 30, 90]
const inDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()

/** A new enrollment key for an organization and site, with its device limit and expiration. */
export function KeyForm({ place, done, close }: Props) {
  const me = useMe()
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data
  const form = useSchemaForm(keys.create.input, {
    name: '',
    orgId: place.org ?? me.orgId ?? '',
    siteId: place.site ?? null,
    maxUsage: 1,
    expiresAt: inDays(7),
  })
  const orgId = form.watch('orgId')
  const sites = useFullList((client) => client.tenancy.sites.list, { orgId }, { enabled: orgId !== '' }).data ?? []
  const { errors } = form.formState
  const make = useApiMutation(
    (given: Parameters<typeof api.enrollment.keys.create.mutate>[0]) => api.enrollment.keys.create.mutate(given),
    {
      refresh: ['enrollment.keys'],
      done(answer) {
        close()
        done(answer)
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="New enrollment key"
      description="The key is shown once, with the command that installs the agent."
      verb="Create key"
      busy={make.isPending}
      error={make.error}
      submit={form.handleSubmit((given) => make.mutate(given))}
    >
      <TextField
        label="Name"
        hint="For example “Reception desks”."
        error={errors.name && 'Enter a name'}
        {...form.register('name')}
      />
      <OrganizationField
        organizations={organizations}
        error={errors.orgId && 'Select an organization'}
        {...form.register('orgId')}
      />
      <SelectField
        label="Site"
        optional
        {...form.register('siteId', { setValueAs: (id: string | null) => id || null })}
      >
        <option value="">No site</option>
        <Options of={sites} />
      </SelectField>
      <TextField
        label="Device limit"
        optional
        type="number"
        min={1}
        hint="Empty for no limit. This can ask for your password."
        error={errors.maxUsage?.message}
        {...form.register('maxUsage', {
          setValueAs: (text: string | number | null) => (text === '' || text === null ? null : Number(text)),
        })}
      />
      <SelectField
        label="Expires after"
        onChange={({ target }) => form.setValue('expiresAt', target.value === '' ? null : inDays(Number(target.value)))}
        defaultValue="7"
      >
        {days.map((count) => (
          <option key={count} value={count}>
            {count === 1 ? '1 day' : `${count} days`}
          </option>
        ))}
        <option value="">Never</option>
      </SelectField>
    </SideForm>
  )
}
