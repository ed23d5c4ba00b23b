import { type Organization, organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useFullList } from '../../../../queries.ts'
import { useMe } from '../../../../session/session.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { Options, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../../ui/form/form.ts'
import { numberOrNone, textOf } from '../formValues.ts'
import { NameFields } from '../NameFields.tsx'

const refresh = ['tenancy']

/** A new organization. */
export function NewOrganization({ partnerId, close }: { readonly partnerId: string | undefined; close(): void }) {
  const isSystem = useMe().scope === 'system'
  const partners = useFullList((client) => client.tenancy.partners.list, {}, { enabled: isSystem }).data
  const form = useSchemaForm(organizations.create.input, {
    name: '',
    slug: '',
    type: 'customer',
    maxDevices: null,
    ...(isSystem && { partnerId: partnerId ?? '' }),
  })
  const { errors } = form.formState
  const make = useApiMutation(
    (given: Parameters<typeof api.tenancy.organizations.create.mutate>[0]) =>
      api.tenancy.organizations.create.mutate(given),
    {
      refresh,
      done({ name }) {
        toast(`${name} created`)
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="New organization"
      description="A customer, or a part of your own company."
      verb="Create organization"
      busy={make.isPending}
      error={make.error}
      submit={form.handleSubmit((given) => make.mutate(given))}
    >
      {isSystem && (
        <SelectField label="Partner" error={errors.partnerId && 'Select a partner'} {...form.register('partnerId')}>
          <option value="">Select a partner</option>
          <Options of={partners} />
        </SelectField>
      )}
      <NameFields
        name={form.register('name')}
        slug={form.register('slug')}
        errors={errors}
        setSlug={(slug) => form.setValue('slug', slug)}
      />
      <TypeField {...form.register('type')} />
      <CapField error={errors.maxDevices?.message} {...form.register('maxDevices', numberOrNone)} />
    </SideForm>
  )
}

/** The name, device limit, contract and billing contact of an organization. */
export function EditOrganization({ organization, close }: { readonly organization: Organization; close(): void }) {
  const { id, name, slug, type, maxDevices, contractStart, contractEnd, billingContact } = organization
  const form = useSchemaForm(organizations.update.input, {
    id,
    name,
    slug,
    type,
    maxDevices,
    contractStart: contractStart?.slice(0, 10) ?? null,
    contractEnd: contractEnd?.slice(0, 10) ?? null,
  })
  const [contact, setContact] = useState({ name: textOf(billingContact.name), email: textOf(billingContact.email) })
  const { errors } = form.formState
  const save = useApiMutation(
    (given: Parameters<typeof api.tenancy.organizations.update.mutate>[0]) =>
      api.tenancy.organizations.update.mutate({ ...given, billingContact: { ...billingContact, ...contact } }),
    {
      refresh,
      done() {
        toast('Organization saved')
        close()
      },
    },
  )
  const day = { setValueAs: (text: string | null) => text || null }
  return (
    <SideForm
      open
      close={close}
      title={`Edit ${name}`}
      verb="Save organization"
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      <NameFields
        name={form.register('name')}
        slug={form.register('slug')}
        errors={errors}
        isKept
        setSlug={(slug) => form.setValue('slug', slug)}
      />
      <TypeField {...form.register('type')} />
      <CapField error={errors.maxDevices?.message} {...form.register('maxDevices', numberOrNone)} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Contract start"
          type="date"
          error={errors.contractStart?.message}
          {...form.register('contractStart', day)}
        />
        <TextField
          label="Contract end"
          type="date"
          error={errors.contractEnd?.message}
          {...form.register('contractEnd', day)}
        />
      </div>
      <TextField
        label="Billing contact"
        optional
        value={contact.name}
        onChange={({ target }) => setContact((now) => ({ ...now, name: target.value }))}
      />
      <TextField
        label="Billing email"
        optional
        type="email"
        value={contact.email}
        onChange={({ target }) => setContact((now) => ({ ...now, email: target.value }))}
      />
    </SideForm>
  )
}

const TypeField = (props: Omit<React.ComponentProps<typeof SelectField>, 'label' | 'children'>) => (
  <SelectField label="Type" {...props}>
    <option value="customer">Customer</option>
    <option value="internal">Internal</option>
  </SelectField>
)

const CapField = (props: Omit<React.ComponentProps<typeof TextField>, 'label'>) => (
  <TextField label="Device limit" optional type="number" min={0} hint="Empty for no limit." {...props} />
)
