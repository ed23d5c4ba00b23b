import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { DraftList } from '../../../ui/form/DraftList.tsx'
import { SelectField, TextField } from '../../../ui/form/fields.tsx'
import { newParameter, type ParameterDraft } from './templateDraft.ts'

interface Props {
  readonly drafts: readonly ParameterDraft[]
  change(drafts: readonly ParameterDraft[]): void
}
const types = [
  ['number', 'Number'],
  ['text', 'Text'],
  ['boolean', 'Yes or no'],
] as const
const parametersMax = 20

/** The parameters of a template. Conditions name one as `{{name}}`. */
export function ParameterFields({ drafts, change }: Props) {
  return (
    <>
      <p className="text-muted text-sm">
        Rules set their own values. Write <code>{'{{name}}'}</code> in the conditions and{' '}
        <code>{'{{ parameters.name }}'}</code> in the texts.
      </p>
      <DraftList
        noun="parameter"
        drafts={drafts}
        full={drafts.length >= parametersMax && `A template has at most ${parametersMax} parameters`}
        make={newParameter}
        nameOf={({ name }) => name}
        change={change}
      >
        {(draft, replace) => <ParameterEditor draft={draft} change={replace} />}
      </DraftList>
    </>
  )
}

interface EditorProps {
  readonly draft: ParameterDraft
  change(draft: ParameterDraft): void
}
function ParameterEditor({ draft, change }: EditorProps) {
  const field = (name: 'name' | 'min' | 'max', label: string) => (
    <TextField
      label={label}
      optional={name !== 'name'}
      autoComplete="off"
      value={draft[name]}
      onChange={({ target }) => change({ ...draft, [name]: target.value })}
    />
  )
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-5">
      {field('name', 'Name')}
      <ChoiceField
        label="Type"
        value={draft.type}
        options={types}
        choose={(type) => change({ ...draft, type, usual: type === 'boolean' ? 'false' : '' })}
      />
      <ParameterValueField
        label="Default"
        type={draft.type}
        value={draft.usual}
        change={(usual) => change({ ...draft, usual })}
      />
      {field('min', draft.type === 'text' ? 'Shortest' : 'Least')}
      {field('max', draft.type === 'text' ? 'Longest' : 'Most')}
    </div>
  )
}

interface ValueProps {
  readonly label: string
  readonly type: ParameterDraft['type']
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly value: string
  change(value: string): void
}

/** The value of a parameter. */
export function ParameterValueField({ label, type, hint, error, value, change }: ValueProps) {
  const more = { label, error, ...(hint && { hint }) }
  if (type === 'boolean')
    return (
      <SelectField {...more} value={value} onChange={({ target }) => change(target.value)}>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </SelectField>
    )
  return (
    <TextField
      {...more}
      autoComplete="off"
      {...(type === 'number' && { inputMode: 'decimal' as const })}
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}
