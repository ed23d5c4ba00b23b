import { reviews } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { AreaField, CheckField, TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'

const inTwoWeeks = () => new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10)

/** Starts a review of all current members. */
export function ReviewForm({ tenant, close }: { readonly tenant: Tenant; close(): void }) {
  const navigate = useNavigate()
  const form = useSchemaForm(reviews.create.input, {
    name: `Access review ${new Date().toISOString().slice(0, 10)}`,
    description: null,
    dueAt: inTwoWeeks(),
    includeOrganizations: false,
  })
  const { errors } = form.formState
  const start = useApiMutation(
    (given: Parameters<typeof api.accessReviews.reviews.create.mutate>[0]) =>
      api.accessReviews.reviews.create.mutate(given),
    {
      refresh: ['accessReviews'],
      done: ({ id }) => void navigate({ to: '/access-reviews/$reviewId', params: { reviewId: id } }),
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="Start access review"
      description="It lists all current members. Reviewers get an email before it is due."
      verb="Start review"
      busy={start.isPending}
      error={start.error}
      submit={form.handleSubmit((given) => start.mutate({ ...given, ...tenant.input }))}
    >
      <TextField label="Name" error={errors.name && 'Enter a name'} {...form.register('name')} />
      <AreaField
        label="Description"
        optional
        error={errors.description?.message}
        {...form.register('description', { setValueAs: (text: string | null) => text || null })}
      />
      <TextField label="Due" type="date" error={errors.dueAt && 'Select a date'} {...form.register('dueAt')} />
      {tenant.kind === 'partner' && (
        <CheckField
          label="Include users of the organizations"
          hint="Otherwise only users of your company are reviewed."
          checked={form.watch('includeOrganizations') ?? false}
          onChange={(on) => form.setValue('includeOrganizations', on)}
        />
      )}
    </SideForm>
  )
}
