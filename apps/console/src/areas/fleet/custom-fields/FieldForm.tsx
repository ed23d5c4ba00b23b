import { type CustomField, CustomFieldType } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { AreaField, CheckField, Options, SelectField, TextField } from '../../../ui/form/fields.tsx'

type Type = CustomField['type']
export const typeWords: Readonly<Record<Type, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  time: 'Date and time',
  choice: 'Choice',
}
const keyOf = (label: string) =>
  label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 63)

const draftOf = (field: CustomField | undefined, orgId: string) => ({
  label: field?.label ?? '',
  key: field?.key ?? '',
  type: field?.type ?? ('text' as const),
  orgId: field ? (field.orgId ?? '') : orgId,
  description: field?.description ?? '',
  options: field?.options.join('\n') ?? '',
  required: field?.required ?? false,
  scriptWritable: field?.scriptWritable ?? false,
})
type Draft = ReturnType<typeof draftOf>

const detailsOf = ({ label, description, options, required, scriptWritable }: Draft) => ({
  label: label.trim(),
  description: description.trim() || null,
  options: options
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean),
  required,
  scriptWritable,
})

interface Props {
  /** The field to edit. A new one is created without it. */
  readonly field?: CustomField
  close(): void
}

/** The definition of a field. Key and type cannot change later. */
export function FieldForm({ field, close }: Props) {
  const me = useMe()
  const place = usePlace()
  const [draft, setDraft] = useState(() => draftOf(field, place.org ?? me.orgId ?? ''))
  const { type, orgId } = draft
  const key = draft.key || keyOf(draft.label)
  const save = useApiMutation(
    () =>
      field
        ? api.customFields.customFields.update.mutate({ id: field.id, ...detailsOf(draft) })
        : api.customFields.customFields.create.mutate({ ...detailsOf(draft), key, type, ...(orgId && { orgId }) }),
    {
      refresh: ['customFields'],
      done: () => {
        toast('Field saved')
        close()
      },
    },
  )
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  return (
    <SideForm
      open
      close={close}
      title={field ? `Edit ${field.label}` : 'New field'}
      verb={field ? 'Save field' : 'Create field'}
      busy={save.isPending}
      blocked={draft.label.trim() === '' && 'Enter a name'}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <TextField label="Name" value={draft.label} onChange={({ target }) => set({ label: target.value })} />
      <Identity draft={{ ...draft, key }} isFixed={field !== undefined} set={set} />
      <AreaField
        label="Description"
        optional
        rows={2}
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <CheckField label="Required" checked={draft.required} onChange={(required) => set({ required })} />
      <CheckField
        label="Scripts can set it"
        hint={`Print “::muster-field ${key || 'key'}=value” in the script.`}
        checked={draft.scriptWritable}
        onChange={(scriptWritable) => set({ scriptWritable })}
      />
    </SideForm>
  )
}

interface IdentityProps {
  readonly draft: Draft
  readonly isFixed: boolean
  set(part: Partial<Draft>): void
}
function Identity({ draft, isFixed, set }: IdentityProps) {
  const { scope } = useMe()
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data ?? []
  return (
    <>
      <TextField
        label="Key"
        hint="For scripts and filters. It cannot change later."
        disabled={isFixed}
        value={draft.key}
        onChange={({ target }) => set({ key: target.value })}
      />
      <SelectField
        label="Type"
        disabled={isFixed}
        value={draft.type}
        onChange={({ target }) =>
          set({ type: CustomFieldType.options.find((each) => each === target.value) ?? 'text' })
        }
      >
        {CustomFieldType.options.map((each) => (
          <option key={each} value={each}>
            {typeWords[each]}
          </option>
        ))}
      </SelectField>
      {draft.type === 'choice' && (
        <AreaField
          label="Choices"
          hint="One per line."
          value={draft.options}
          onChange={({ target }) => set({ options: target.value })}
        />
      )}
      <SelectField
        label="Applies to"
        disabled={isFixed}
        value={draft.orgId}
        onChange={({ target }) => set({ orgId: target.value })}
      >
        {scope !== 'organization' && <option value="">All organizations</option>}
        <Options of={organizations} />
      </SelectField>
    </>
  )
}
