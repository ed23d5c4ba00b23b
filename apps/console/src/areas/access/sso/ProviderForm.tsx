import { type Provider, providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckField, Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { CopyText } from '../../../ui/page/display.tsx'

interface Props {
  /** The provider to edit. A new one is created without it. */
  readonly provider?: Provider
  readonly orgId: string | undefined
  close(): void
}

/** The same for all providers, and needed at the provider before its client exists. */
const redirectUrl = () => `${window.location.origin}/api/v1/sso/callback`

const optional = { setValueAs: (text: string | null) => text || null }

/** An identity provider: its issuer, our client there, and who can sign in. */
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
      title={provider ? `Edit ${provider.name}` : 'Add identity provider'}
      description={
        provider
          ? 'A new issuer or client needs the secret again and unlinks all users of the old one.'
          : 'First create a web application at your provider, with the redirect URL below. Users can sign in after you test and activate the provider.'
      }
      verb={provider ? 'Save provider' : 'Create provider'}
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      <div className="grid grid-cols-1 gap-1">
        <p className="font-medium text-sm">Redirect URL</p>
        <CopyText text={provider?.redirectUri ?? redirectUrl()} label="the redirect URL" wrap />
      </div>
      {!provider && !orgId && <OrganizationField error={errors.orgId} {...form.register('orgId')} />}
      <SelectField
        label="Type"
        hint={preset?.notes}
        value={preset?.id ?? ''}
        onChange={({ target }) => choosePreset(target.value)}
      >
        <option value="">Other (OpenID Connect)</option>
        <Options of={presets} />
      </SelectField>
      <TextField
        label="Name"
        hint="Shown on the button “Sign in with …”."
        error={errors.name && 'Enter a name'}
        {...form.register('name')}
      />
      <TextField
        label="Issuer"
        hint="Replace the parts in braces."
        spellCheck={false}
        error={errors.issuer && 'Enter an https URL without braces, credentials or query'}
        {...form.register('issuer')}
      />
      <TextField
        label="Client ID"
        spellCheck={false}
        autoComplete="off"
        error={errors.clientId && 'Enter the client ID'}
        {...form.register('clientId')}
      />
      <TextField
        label="Client secret"
        optional
        type="password"
        autoComplete="new-password"
        hint={provider?.hasClientSecret ? 'Empty keeps the current secret.' : 'Not needed for a public client.'}
        error={errors.clientSecret?.message}
        {...form.register('clientSecret', optional)}
      />
      <TextField
        label="Email domains"
        optional
        hint="Allowed domains, such as example.com,example.org. Empty for all."
        error={errors.allowedDomains && 'Separate domains with commas'}
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
      {box('autoProvision', 'Create users automatically', 'New users become members when they first sign in.')}
      {form.watch('autoProvision') === true && (
        <SelectField label="Role of new users" {...form.register('defaultRoleId', optional)}>
          <option value="">Select a role</option>
          {roles.map(({ id, name, assignable }) => (
            <option key={id} value={id} disabled={!assignable}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {box('trustMfa', 'Trust provider MFA', 'When the claim amr confirms a second factor.')}
      {box(
        'enforceSSO',
        'Require SSO',
        'Members cannot use passwords or passkeys while the provider is active. Keep one administrator of your company with a password.',
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
    <SelectField label="Organization" error={error ? 'Select an organization' : undefined} {...rest}>
      <option value="">Select an organization</option>
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
        toast(provider ? 'Provider saved' : `${name} created. Test the connection, then activate the provider`)
        if (provider) close()
        else void navigate({ to: '/sso/$providerId', params: { providerId: id } })
      },
    },
  )
}
