import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import type { Place } from '../../../shell/place.ts'
import { Options, SelectField, TextField } from '../../../ui/fields.tsx'
import { useSchemaForm } from '../../../ui/form.ts'
import { SideForm } from '../../../ui/SideForm.tsx'
import type { Made } from './NewKey.tsx'

interface Props {
  readonly open: boolean
  readonly place: Place
  done(made: Made): void
  close(): void
}

const days = [1, 7, 30, 90]
const inDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()

/** A new enrolment key: for which organisation and site, how often and how long. */
export function KeyForm({ open, place, done, close }: Props) {
  const me = useMe()
  const organizations =
    useApiQuery((client) => client.tenancy.organizations.all, {}, { enabled: open }).data?.data ?? []
  const form = useSchemaForm(keys.create.input, {
    name: '',
    orgId: place.org ?? me.orgId ?? '',
    siteId: place.site ?? null,
    maxUsage: 1,
    expiresAt: inDays(7),
  })
  const orgId = form.watch('orgId')
  const sites =
    useFullList((client) => client.tenancy.sites.list, { orgId }, { enabled: open && orgId !== '' }).data ?? []
  const { errors } = form.formState
  const make = useApiMutation(
    (given: Parameters<typeof api.enrollment.keys.create.mutate>[0]) => api.enrollment.keys.create.mutate(given),
    {
      refresh: ['enrollment.keys'],
      done(answer) {
        close()
        form.reset()
        done(answer)
      },
    },
  )
  return (
    <SideForm
      open={open}
      close={close}
      title="New enrolment key"
      description="The key itself is shown once, together with the line that installs an agent."
      verb="Make the key"
      busy={make.isPending}
      error={make.error}
      submit={form.handleSubmit((given) => make.mutate(given))}
    >
      <TextField
        label="Name"
        hint="By which you recognise it, such as “Reception desks”."
        error={errors.name && 'Enter a name'}
        {...form.register('name')}
      />
      <SelectField label="Organisation" error={errors.orgId && 'Choose an organisation'} {...form.register('orgId')}>
        <option value="">Choose</option>
        <Options of={organizations} />
      </SelectField>
      <SelectField
        label="Site"
        optional
        {...form.register('siteId', { setValueAs: (id: string | null) => id || null })}
      >
        <option value="">None</option>
        <Options of={sites} />
      </SelectField>
      <TextField
        label="How many machines"
        optional
        type="number"
        min={1}
        hint="Without a number, any number: this takes your password if you signed in a while ago."
        error={errors.maxUsage?.message}
        {...form.register('maxUsage', {
          setValueAs: (text: string | number | null) => (text === '' || text === null ? null : Number(text)),
        })}
      />
      <SelectField
        label="Good for"
        onChange={({ target }) => form.setValue('expiresAt', target.value === '' ? null : inDays(Number(target.value)))}
        defaultValue="7"
      >
        {days.map((count) => (
          <option key={count} value={count}>
            {count === 1 ? '1 day' : `${count} days`}
          </option>
        ))}
        <option value="">Ever</option>
      </SelectField>
    </SideForm>
  )
}
