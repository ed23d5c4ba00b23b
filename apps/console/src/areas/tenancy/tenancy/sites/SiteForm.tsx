import { type Site, sites } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { Options, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../../ui/form/form.ts'
import { TimezoneField } from '../../../../ui/form/TimezoneField.tsx'
import { textOf } from '../formValues.ts'

const addressFields = [
  ['street', 'Street'],
  ['postalCode', 'Postal code'],
  ['city', 'City'],
  ['country', 'Country'],
] as const
const contactFields = [
  ['name', 'Contact'],
  ['email', 'Email'],
  ['phone', 'Phone'],
] as const
type Texts = Readonly<Record<string, string>>

const filled = (texts: Texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
const textsOf = (fields: readonly (readonly [string, string])[], object: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(fields.map(([name]) => [name, textOf(object[name])]))

interface Props {
  /** The site to edit. A new one is created without it. */
  readonly site?: Site
  readonly orgId: string | undefined
  close(): void
}

/** A site: its name, time zone, address and contact. */
export function SiteForm({ site, orgId, close }: Props) {
  const [address, setAddress] = useState<Texts>(() => textsOf(addressFields, site?.address))
  const [contact, setContact] = useState<Texts>(() => textsOf(contactFields, site?.contact))
  const form = useSchemaForm(sites.create.input, {
    orgId: site?.orgId ?? orgId ?? '',
    name: site?.name ?? '',
    timezone: site?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  const { errors } = form.formState
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}, { enabled: !site && !orgId }).data
    ?.data
  const save = useApiMutation(
    ({ orgId: org, name, timezone }: { orgId: string; name: string; timezone: string }) => {
      const details = {
        name,
        timezone,
        address: { ...site?.address, ...filled(address) },
        contact: { ...site?.contact, ...filled(contact) },
      }
      return site
        ? api.tenancy.sites.update.mutate({ id: site.id, ...details })
        : api.tenancy.sites.create.mutate({ orgId: org, ...details })
    },
    {
      refresh: ['tenancy'],
      done({ name }) {
        toast(site ? 'Site saved' : `${name} created`)
        close()
      },
    },
  )
  const texts = (
    fields: readonly (readonly [string, string])[],
    values: Texts,
    set: (change: (now: Texts) => Texts) => void,
  ) =>
    fields.map(([name, label]) => (
      <TextField
        key={name}
        label={label}
        optional
        value={values[name] ?? ''}
        onChange={({ target }) => set((now) => ({ ...now, [name]: target.value }))}
      />
    ))
  return (
    <SideForm
      open
      close={close}
      title={site ? `Edit ${site.name}` : 'New site'}
      description="A place with devices, such as an office, a branch or a data center."
      verb={site ? 'Save site' : 'Create site'}
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      {!site && !orgId && (
        <SelectField label="Organization" error={errors.orgId && 'Select an organization'} {...form.register('orgId')}>
          <option value="">Select an organization</option>
          <Options of={organizations} />
        </SelectField>
      )}
      <TextField label="Name" error={errors.name && 'Enter a name'} {...form.register('name')} />
      <TimezoneField
        label="Time zone"
        error={errors.timezone && 'Select a time zone such as Europe/Zurich'}
        {...form.register('timezone')}
      />
      {texts(addressFields, address, setAddress)}
      {texts(contactFields, contact, setContact)}
    </SideForm>
  )
}
