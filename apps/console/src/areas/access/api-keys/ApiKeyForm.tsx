import { type ApiKey, keys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { isPermission } from '@muster/areas/vocabulary.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { AreaField, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { GroupedCheckList } from '../../../ui/form/GroupedCheckList.tsx'

const days = [7, 30, 90, 365]
const inDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
const lines = {
  setValueAs: (given: string | string[]) =>
    typeof given === 'string' ? given.split(/[\s,]+/).filter((line) => line !== '') : given,
}

interface Props {
  /** The key to edit. A new one is created without it. */
  readonly apiKey?: ApiKey | undefined
  close(): void
  /** Called with the secret of a new key. */
  done(secret: string): void
}

/** The permissions, allowed IP addresses and expiration of a key. */
export function ApiKeyForm({ apiKey, close, done }: Props) {
  const { org } = usePlace()
  const me = useMe()
  const catalog = useApiQuery((client) => client.roles.permissions.catalog, {}, { staleMs: 600_000 }).data?.data ?? []
  const organizations = useApiQuery(
    (client) => client.tenancy.organizations.all,
    {},
    { enabled: !apiKey && me.scope !== 'organization' },
  ).data?.data
  const form = useSchemaForm(keys.create.input, {
    name: apiKey?.name ?? '',
    scopes: apiKey?.scopes.filter(isPermission) ?? [],
    allowedAddresses: apiKey?.allowedAddresses ?? [],
    requestsPerMinute: apiKey?.requestsPerMinute ?? 600,
    expiresAt: apiKey?.expiresAt ?? inDays(90),
    ...(!apiKey && org && { orgId: org }),
  })
  const { errors } = form.formState
  const save = useSave({ apiKey, close, done })
  return (
    <SideForm
      open
      close={close}
      title={apiKey ? `Edit ${apiKey.name}` : 'New API key'}
      description="A key is limited to your own permissions."
      verb={apiKey ? 'Save key' : 'Create key'}
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      <TextField
        label="Name"
        hint="Name the program that uses the key."
        error={errors.name && 'Enter a name'}
        {...form.register('name')}
      />
      <GroupedCheckList
        label="Permissions"
        error={errors.scopes && 'Select at least one permission'}
        choices={catalog
          .filter(({ assignable, permission }) => assignable || apiKey?.scopes.includes(permission))
          .map(({ permission, resource, description }) => ({
            id: permission,
            group: resource === '*' ? 'Everything' : resource,
            label: description,
            hint: permission,
          }))}
        chosen={form.watch('scopes')}
        change={(scopes) =>
          form.setValue('scopes', scopes.filter(isPermission), { shouldValidate: form.formState.isSubmitted })
        }
      />
      {organizations && (
        <SelectField
          label="Scope"
          {...form.register('orgId', { setValueAs: (id: string | undefined) => id || undefined })}
        >
          <option value="">Everything that you can access</option>
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              Only {name}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label="Expires after"
        defaultValue={apiKey ? '' : '90'}
        onChange={({ target }) =>
          form.setValue('expiresAt', target.value === '' ? apiKey?.expiresAt : inDays(Number(target.value)))
        }
      >
        {apiKey && <option value="">Keep expiration</option>}
        {days.map((count) => (
          <option key={count} value={count}>
            {count === 365 ? '1 year' : `${count} days`}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="Allowed IPs"
        optional
        hint="One address or network per line, such as 192.0.2.0/24. Empty for any."
        error={errors.allowedAddresses && 'Enter one address or network per line'}
        defaultValue={apiKey?.allowedAddresses.join('\n') ?? ''}
        {...form.register('allowedAddresses', lines)}
      />
      <TextField
        label="Requests per minute"
        type="number"
        min={1}
        error={errors.requestsPerMinute?.message}
        {...form.register('requestsPerMinute', { valueAsNumber: true })}
      />
    </SideForm>
  )
}

/** Creates or updates the key. */
function useSave({ apiKey, close, done }: Props) {
  return useApiMutation(
    async (given: Parameters<typeof api.apiKeys.keys.create.mutate>[0]) => {
      if (apiKey === undefined) return (await api.apiKeys.keys.create.mutate(given)).key
      const { orgId: _, ...changes } = given
      await api.apiKeys.keys.update.mutate({ id: apiKey.id, ...changes })
      return null
    },
    {
      refresh: ['apiKeys'],
      done(secret) {
        close()
        if (secret === null) toast('API key saved')
        else done(secret)
      },
    },
  )
}
