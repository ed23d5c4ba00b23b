import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { type Group, groups } from '@muster/areas/fleet/groups/groups.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { AreaField, Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { useSchemaForm } from '../../../ui/form/form.ts'
import { many } from '../../../ui/text/quantity.ts'
import { OrganizationField } from '../../tenancy/tenancy/organizations/OrganizationField.tsx'
import { draftOf, filterOf, isSound } from '../filters/draft.ts'
import { FilterBuilder } from '../filters/FilterBuilder.tsx'
import { Preview } from '../filters/Preview.tsx'
import { useFields } from '../filters/useFields.ts'

interface Props {
  /** The group to edit. A new one is created without it. */
  readonly group?: Group
  done?(group: Group): void
  close(): void
}

const details = groups.create.input

/** A group: its name and place, and the membership rule of a dynamic one. */
export function GroupForm({ group, done, close }: Props) {
  const me = useMe()
  const place = usePlace()
  const [isDynamic, setDynamic] = useState(group ? group.type === 'dynamic' : true)
  const [draft, setDraft] = useState(() => draftOf(FilterExpression.safeParse(group?.filter).data))
  const form = useSchemaForm(details, {
    name: group?.name ?? '',
    description: group?.description ?? null,
    orgId: group?.orgId ?? place.org ?? me.orgId ?? '',
    siteId: group?.siteId ?? place.site ?? null,
  })
  const orgId = form.watch('orgId')
  const siteId = form.watch('siteId')
  const fields = useFields(orgId || undefined)
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data
  const sites = useFullList((client) => client.tenancy.sites.list, { orgId }, { enabled: orgId !== '' }).data ?? []
  const whole = isSound(draft, fields) ? filterOf(draft) : undefined
  const { errors } = form.formState
  const save = useApiMutation(
    ({ name, description, ...where }: ReturnType<typeof details.parse>) => {
      const chosen = isDynamic && whole ? { filter: whole } : {}
      return group
        ? api.groups.groups.update.mutate({ id: group.id, name, description, ...chosen })
        : api.groups.groups.create.mutate({
            ...where,
            name,
            description,
            ...chosen,
            type: isDynamic ? 'dynamic' : 'static',
          })
    },
    {
      refresh: ['groups'],
      done(saved) {
        toast(group ? 'Group saved' : `Group created. ${many(saved.deviceCount, 'device')} in the group`)
        close()
        done?.(saved)
      },
    },
  )
  return (
    <SideForm
      open
      wide
      close={close}
      title={group ? `Edit ${group.name}` : 'New group'}
      verb={group ? 'Save group' : 'Create group'}
      busy={save.isPending}
      blocked={isDynamic && whole === undefined && 'Add and complete a condition'}
      error={save.error}
      submit={form.handleSubmit((given) => save.mutate(given))}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" error={errors.name && 'Enter a name'} {...form.register('name')} />
        <SelectField
          label="Type"
          value={isDynamic ? 'dynamic' : 'static'}
          disabled={group !== undefined}
          onChange={({ target }) => setDynamic(target.value === 'dynamic')}
        >
          <option value="dynamic">Dynamic: by filter</option>
          <option value="static">Static: selected devices</option>
        </SelectField>
        <OrganizationField
          organizations={organizations}
          disabled={group !== undefined}
          error={errors.orgId && 'Select an organization'}
          {...form.register('orgId')}
        />
        <SelectField
          label="Site"
          optional
          disabled={group !== undefined}
          {...form.register('siteId', { setValueAs: (id: string | null) => id || null })}
        >
          <option value="">All sites</option>
          <Options of={sites} />
        </SelectField>
      </div>
      <AreaField
        label="Description"
        optional
        rows={2}
        {...form.register('description', { setValueAs: (text: string | null) => text || null })}
      />
      {isDynamic && (
        <>
          <FilterBuilder draft={draft} fields={fields} change={setDraft} />
          <Preview filter={whole} orgId={orgId || undefined} siteId={siteId ?? undefined} />
        </>
      )}
    </SideForm>
  )
}
