import { type Provider, providers } from '@muster/areas/access/sso/providers.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { CheckField, Options, SelectField, TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { SideForm } from '../../../ui/SideForm.tsx'
import { toast } from '../../../ui/toasts.tsx'

interface Props {
  /** The provider to change; without one a new one is made. */
  readonly provider?: Provider
  readonly orgId: string | undefined
  close(): void
}

const optional = { setValueAs: (text: string | null) => text || null }

/** An identity provider: where it is, who we are to it, whom it lets in. */
export function ProviderForm({ provider, orgId, close }: Props) {
  const presets = useApiQuery((client) => client.sso.providers.presets, {}, { staleMs: 600_000 }).data?.data ?? []
  const form = useProviderForm(provider, orgId)
  const { errors } = form.formState
  const preset = presets.find(({ id }) => id === form.watch('preset'))
  const choosePreset = (id: string) => {
    const chosen = presets.find((each) => each.id === id)
    form.setValue('preset', chosen?.id ?? null)
    if (!chosen) return
    form.setValue('issuer', chosen.issuer)
    form.setValue('scopes', chosen.scopes)
    form.setValue('attributeMapping', chosen.attributeMapping)
    if (form.getValues('name') === '') form.setValue('name', chosen.name)
  }
  const save = useSave(provider, close)
  return (
    <SideForm
      open
      close={close}
      title={provider ? `Change ${provider.name}` : 'Add an identity provider'}
      description={
        provider
          ? 'Another issuer or client needs the secret again and unlinks everybody who came through the old one.'
          : 'Make a web application at the provider first; it tells you client and secret. It lets nobody in before you have tested and activated it.'
      }
      verb={provider ? 'Save' : 'Add and look at it'}
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      {!provider && !orgId && <OrganizationField error={errors.orgId} {...form.register('orgId')} />}
      <SelectField
        label="Kind"
        hint={preset?.notes}
        value={preset?.id ?? ''}
        onChange={({ target }) => choosePreset(target.value)}
      >
        <option value="">Another that speaks OpenID Connect</option>
        <Options of={presets} />
      </SelectField>
      <TextField
        label="Name"
        hint="On the button: “Sign in with …”."
        error={errors.name && 'Enter a name'}
        {...form.register('name')}
      />
      <TextField
        label="Issuer"
        hint="Replace what stands in braces."
        spellCheck={false}
        error={errors.issuer && 'Enter an https address without braces, credentials and query'}
        {...form.register('issuer')}
      />
      <TextField
        label="Client id"
        spellCheck={false}
        autoComplete="off"
        error={errors.clientId && 'Enter the client id'}
        {...form.register('clientId')}
      />
      <TextField
        label="Client secret"
        optional
        type="password"
        autoComplete="new-password"
        hint={provider?.hasClientSecret ? 'Left empty, the present one stays.' : 'Not needed for a public client.'}
        error={errors.clientSecret?.message}
        {...form.register('clientSecret', optional)}
      />
      <TextField
        label="E-mail domains"
        optional
        hint="Who may come in, such as example.com,example.org. Empty: every domain."
        error={errors.allowedDomains && 'Enter domains separated by commas'}
        {...form.register('allowedDomains')}
      />
      <Switches form={form} orgId={form.watch('orgId') || undefined} />
    </SideForm>
  )
}

function useProviderForm(provider: Provider | undefined, orgId: string | undefined) {
  return useSchemaForm(providers.create.input, {
    orgId: provider?.orgId ?? orgId ?? '',
    name: provider?.name ?? '',
    preset: provider?.preset ?? null,
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: null,
    scopes: provider?.scopes ?? 'openid profile email',
    attributeMapping: provider?.attributeMapping ?? {},
    autoProvision: provider?.autoProvision ?? false,
    defaultRoleId: provider?.defaultRoleId ?? null,
    allowedDomains: provider?.allowedDomains ?? '',
    enforceSSO: provider?.enforceSSO ?? false,
    trustMfa: provider?.trustMfa ?? false,
  })
}
type Form = ReturnType<typeof useProviderForm>
type Wire = Parameters<typeof api.sso.providers.create.mutate>[0]

function Switches({ form, orgId }: { readonly form: Form; readonly orgId: string | undefined }) {
  const roles =
    useApiQuery((client) => client.users.users.roles, orgId ? { orgId } : {}, {
      enabled: orgId !== undefined,
      staleMs: 30_000,
    }).data?.data ?? []
  const box = (name: 'autoProvision' | 'enforceSSO' | 'trustMfa', label: string, hint: string) => (
    <CheckField
      label={label}
      hint={hint}
      checked={form.watch(name) === true}
      onChange={(on) => form.setValue(name, on)}
    />
  )
  return (
    <>
      {box('autoProvision', 'Add unknown people by themselves', 'Whoever the provider lets through becomes a member.')}
      {form.watch('autoProvision') === true && (
        <SelectField label="With this role" {...form.register('defaultRoleId', optional)}>
          <option value="">Choose</option>
          {roles.map(({ id, name, assignable }) => (
            <option key={id} value={id} disabled={!assignable}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {box('trustMfa', 'Its second factor counts as ours', 'Where it says in the claim amr that there was one.')}
      {box(
        'enforceSSO',
        'The only way in',
        'Passwords and passkeys of members open nothing while it is active. Keep somebody of your own company with a password.',
      )}
    </>
  )
}

function OrganizationField({
  error,
  ...rest
}: { readonly error: unknown } & Omit<React.ComponentProps<typeof SelectField>, 'label' | 'children' | 'error'>) {
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data ?? []
  return (
    <SelectField label="Organisation" error={error ? 'Choose an organisation' : undefined} {...rest}>
      <option value="">Choose</option>
      <Options of={organizations} />
    </SelectField>
  )
}

function useSave(provider: Provider | undefined, close: () => void) {
  const navigate = useNavigate()
  return useApiMutation(
    ({ orgId, type: _, clientSecret, ...given }: Wire) =>
      provider
        ? api.sso.providers.update.mutate({ id: provider.id, ...given, ...(clientSecret && { clientSecret }) })
        : api.sso.providers.create.mutate({ ...given, clientSecret: clientSecret ?? null, ...(orgId && { orgId }) }),
    {
      refresh: ['sso'],
      done({ id, name }) {
        toast(provider ? 'Saved' : `${name} is added. Test it, then activate it`)
        if (provider) close()
        else void navigate({ to: '/sso/$providerId', params: { providerId: id } })
      },
    },
  )
}
