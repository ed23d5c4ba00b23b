import { type ApiKey, keys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { isPermission } from '@muster/areas/vocabulary.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { CheckList } from '../../../ui/CheckList.tsx'
import { AreaField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { SideForm } from '../../../ui/SideForm.tsx'
import { toast } from '../../../ui/toasts.tsx'

const days = [7, 30, 90, 365]
const inDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
const lines = {
  setValueAs: (given: string | string[]) =>
    typeof given === 'string' ? given.split(/[\s,]+/).filter((line) => line !== '') : given,
}

interface Props {
  /** The key to change; without one a new one is made. */
  readonly apiKey?: ApiKey | undefined
  close(): void
  made(secret: string): void
}

/** What a key may do, from where, and until when. */
export function ApiKeyForm({ apiKey, close, made }: Props) {
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
  const save = useSave({ apiKey, close, made })
  return (
    <SideForm
      open
      close={close}
      title={apiKey ? `Change ${apiKey.name}` : 'New API key'}
      description="It can never do more than you: what you lose, it loses."
      verb={apiKey ? 'Save' : 'Make the key'}
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      <TextField
        label="Name"
        hint="The program that uses it."
        error={errors.name && 'Enter a name'}
        {...form.register('name')}
      />
      <CheckList
        label="May"
        error={errors.scopes && 'Choose at least one permission'}
        choices={catalog
          .filter(({ assignable, permission }) => assignable || apiKey?.scopes.includes(permission))
          .map(({ permission, description }) => ({ id: permission, label: description, hint: permission }))}
        chosen={form.watch('scopes')}
        change={(scopes) => form.setValue('scopes', scopes.filter(isPermission), { shouldValidate: true })}
      />
      {organizations && (
        <SelectField
          label="Reaches"
          {...form.register('orgId', { setValueAs: (id: string | undefined) => id || undefined })}
        >
          <option value="">All that you reach</option>
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name} alone
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label="Good for"
        defaultValue={apiKey ? '' : '90'}
        onChange={({ target }) =>
          form.setValue('expiresAt', target.value === '' ? apiKey?.expiresAt : inDays(Number(target.value)))
        }
      >
        {apiKey && <option value="">As it is</option>}
        {days.map((count) => (
          <option key={count} value={count}>
            {count === 365 ? 'A year' : `${count} days`}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="From these addresses only"
        optional
        hint="One address or network in a line, such as 192.0.2.0/24. Without any, from anywhere."
        error={errors.allowedAddresses && 'Enter addresses or networks, one in a line'}
        defaultValue={apiKey?.allowedAddresses.join('\n') ?? ''}
        {...form.register('allowedAddresses', lines)}
      />
      <TextField
        label="Requests a minute"
        type="number"
        min={1}
        error={errors.requestsPerMinute?.message}
        {...form.register('requestsPerMinute', { valueAsNumber: true })}
      />
    </SideForm>
  )
}

/** Makes the key, or changes the one that there is. */
function useSave({ apiKey, close, made }: Props) {
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
        if (secret === null) toast('Saved')
        else made(secret)
      },
    },
  )
}
