import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button/Button.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { SelectField, TextField } from '../../../ui/form/fields.tsx'
import { newParameter, type ParameterDraft } from './templateDraft.ts'

interface Props {
  readonly drafts: readonly ParameterDraft[]
  change(drafts: ParameterDraft[]): void
}
const types = [
  ['number', 'Number'],
  ['text', 'Text'],
  ['boolean', 'Yes or no'],
] as const
const parametersMax = 20

/** The parameters of a template. Conditions name one as `{{name}}`. */
export function ParameterFields({ drafts, change }: Props) {
  const replace = (draft: ParameterDraft) => change(drafts.map((each) => (each.id === draft.id ? draft : each)))
  return (
    <>
      <p className="text-muted text-sm">
        Rules set their own values. Write <code>{'{{name}}'}</code> in the conditions and{' '}
        <code>{'{{ parameters.name }}'}</code> in the texts.
      </p>
      {drafts.map((draft, index) => (
        <ParameterEditor
          key={draft.id}
          draft={draft}
          number={index + 1}
          change={replace}
          remove={() => change(drafts.filter(({ id }) => id !== draft.id))}
        />
      ))}
      <div>
        <Button
          small
          blocked={drafts.length >= parametersMax && `A template has at most ${parametersMax} parameters`}
          onClick={() => change([...drafts, newParameter()])}
        >
          <Plus aria-hidden className="size-3.5" />
          Add parameter
        </Button>
      </div>
    </>
  )
}

interface EditorProps {
  readonly draft: ParameterDraft
  readonly number: number
  change(draft: ParameterDraft): void
  remove(): void
}
function ParameterEditor({ draft, number, change, remove }: EditorProps) {
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
    <fieldset aria-label={`Parameter ${number}`} className="flex min-w-0 items-end gap-2">
      <div className="grid min-w-0 flex-1 grid-cols-2 gap-3 sm:grid-cols-5">
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
      <IconButton label={`Remove parameter ${number}`} onClick={remove}>
        <X aria-hidden className="size-4" />
      </IconButton>
    </fieldset>
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
