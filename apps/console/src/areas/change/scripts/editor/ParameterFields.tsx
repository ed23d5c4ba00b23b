import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { DraftList } from '../../../../ui/form/DraftList.tsx'
import { CheckField, TextField } from '../../../../ui/form/fields.tsx'
import { newParameter, type ParameterDraft } from './scriptDraft.ts'

interface Props {
  readonly drafts: readonly ParameterDraft[]
  change(drafts: readonly ParameterDraft[]): void
}

const types = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['boolean', 'Yes or no'],
  ['choice', 'Choice'],
  ['secret', 'Secret'],
] as const
const parametersMax = 50

/** What a run is given. */
export function ParameterFields({ drafts, change }: Props) {
  return (
    <>
      <p className="text-muted text-sm">
        The script finds each value in its environment, as <code>PARAM_</code> and the name in capitals.
      </p>
      <DraftList
        noun="parameter"
        drafts={drafts}
        full={drafts.length >= parametersMax && `A script has at most ${parametersMax} parameters`}
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
  const { type } = draft
  type TextPart = 'name' | 'label' | 'usual' | 'choices' | 'pattern' | 'min' | 'max'
  const field = (part: TextPart, label: string) => (
    <TextField
      label={label}
      optional={part !== 'name' && part !== 'choices'}
      autoComplete="off"
      value={draft[part]}
      onChange={({ target }) => change({ ...draft, [part]: target.value, ...(part === 'usual' && { field: null }) })}
    />
  )
  const hasBounds = type === 'text' || type === 'number'
  return (
    <>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {field('name', 'Name')}
        {field('label', 'Label')}
        <ChoiceField
          label="Type"
          value={type}
          options={types}
          choose={(next) => change({ ...draft, type: next, usual: '', field: null })}
        />
        {draft.field === null && field('usual', type === 'secret' ? 'Usual secret' : 'Default')}
        {draft.field !== null && (
          <TextField
            label="Default from the field"
            value={draft.field}
            onChange={({ target }) => change({ ...draft, field: target.value || null })}
          />
        )}
        {type === 'choice' && field('choices', 'Choices, separated by commas')}
        {type === 'text' && field('pattern', 'Pattern')}
        {hasBounds && field('min', type === 'text' ? 'Shortest' : 'Least')}
        {hasBounds && field('max', type === 'text' ? 'Longest' : 'Most')}
      </div>
      <CheckField label="Required" checked={draft.required} onChange={(required) => change({ ...draft, required })} />
    </>
  )
}
