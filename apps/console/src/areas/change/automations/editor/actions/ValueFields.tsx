import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { useFullList } from '../../../../../queries.ts'
import { AreaField, SelectField, TextField } from '../../../../../ui/form/fields.tsx'
import { OptionList } from '../../../../../ui/form/Select.tsx'
import type { ActionProps } from '../editorProps.ts'

const types = { text: 'text', number: 'number', boolean: 'boolean', time: 'text', choice: 'text' } as const

/** The custom field that an action sets, and its value. */
export function ValueFields({ draft, orgId, faultAt, change }: ActionProps) {
  const { data = [] } = useFullList((api) => api.customFields.customFields.list, orgId === null ? {} : { orgId })
  const fields = [...new Map(data.map((field) => [field.key, field])).values()]
  const field = fields.find(({ key }) => key === draft.field)
  const choose = (key: string) => {
    const next = fields.find((each) => each.key === key)
    change({ ...draft, field: key, value: '', valueType: next ? types[next.type] : 'text' })
  }
  const isGone = draft.field !== '' && field === undefined
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Custom field"
        error={faultAt('key')}
        value={draft.field}
        onChange={({ target }) => choose(target.value)}
      >
        {draft.field === '' && <option value="">{fields.length === 0 ? 'No custom fields' : 'Select a field'}</option>}
        <OptionList options={fields.map(({ key, label }) => [key, label] as const)} />
        {isGone && <option value={draft.field}>{draft.field}</option>}
      </SelectField>
      <ValueField
        field={field}
        value={draft.value}
        error={faultAt('value')}
        change={(value) => change({ ...draft, value })}
      />
    </div>
  )
}

interface Props {
  readonly field: CustomField | undefined
  readonly value: string
  readonly error: string | undefined
  change(value: string): void
}

const truths = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

function ValueField({ field, value, error, change }: Props) {
  const usual = { label: 'Value', error, hint: 'Empty removes the value' }
  const choices =
    field?.type === 'boolean'
      ? truths
      : field?.type === 'choice'
        ? field.options.map((each) => [each, each] as const)
        : null
  if (choices !== null)
    return (
      <SelectField {...usual} value={value} onChange={({ target }) => change(target.value)}>
        <option value="">No value</option>
        <OptionList options={choices} />
      </SelectField>
    )
  if (field?.type === 'number')
    return <TextField {...usual} inputMode="decimal" value={value} onChange={({ target }) => change(target.value)} />
  const hint = field?.type === 'time' ? 'Such as 2026-01-31T09:00:00Z. Empty removes the value' : usual.hint
  return <AreaField {...usual} hint={hint} rows={1} value={value} onChange={({ target }) => change(target.value)} />
}
