import { type Partner, partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../../ui/form/form.ts'
import { numberOrNone } from '../formValues.ts'
import { NameFields } from '../NameFields.tsx'

const plans = ['free', 'starter', 'community', 'pro', 'enterprise', 'unlimited']

/** Creates or edits a partner. */
export function PartnerForm({ partner, close }: { readonly partner?: Partner; close(): void }) {
  const form = useSchemaForm(partners.create.input, {
    name: partner?.name ?? '',
    slug: partner?.slug ?? '',
    type: partner?.type ?? 'msp',
    plan: partner?.plan ?? 'pro',
    maxOrganizations: partner?.maxOrganizations ?? null,
    maxDevices: partner?.maxDevices ?? null,
    billingEmail: partner?.billingEmail ?? null,
    ...(!partner && { status: 'active' as const }),
  })
  const { errors } = form.formState
  const save = useApiMutation(
    (given: Parameters<typeof api.tenancy.partners.create.mutate>[0]) =>
      partner
        ? api.tenancy.partners.update.mutate({ ...given, id: partner.id })
        : api.tenancy.partners.create.mutate(given),
    {
      refresh: ['tenancy'],
      done({ name }) {
        toast(partner ? 'Partner saved' : `${name} created. Invite its first administrator under Users`)
        close()
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={partner ? `Edit ${partner.name}` : 'New partner'}
      verb={partner ? 'Save partner' : 'Create partner'}
      busy={save.isPending}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      <NameFields
        name={form.register('name')}
        slug={form.register('slug')}
        errors={errors}
        isKept={partner !== undefined}
        setSlug={(slug) => form.setValue('slug', slug)}
      />
      <SelectField label="Type" {...form.register('type')}>
        <option value="msp">IT provider with customers</option>
        <option value="enterprise">Enterprise</option>
        <option value="internal">Internal</option>
      </SelectField>
      <SelectField label="Plan" {...form.register('plan')}>
        {plans.map((each) => (
          <option key={each} value={each}>
            {each.charAt(0).toUpperCase() + each.slice(1)}
          </option>
        ))}
      </SelectField>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Organization limit"
          optional
          type="number"
          min={0}
          error={errors.maxOrganizations?.message}
          {...form.register('maxOrganizations', numberOrNone)}
        />
        <TextField
          label="Device limit"
          optional
          type="number"
          min={0}
          error={errors.maxDevices?.message}
          {...form.register('maxDevices', numberOrNone)}
        />
      </div>
      <TextField
        label="Billing email"
        optional
        type="email"
        error={errors.billingEmail && 'Enter an email address'}
        {...form.register('billingEmail', { setValueAs: (text: string | null) => text || null })}
      />
    </SideForm>
  )
}
