import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../../ui/button/Button.tsx'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { CheckField, TextField } from '../../../../ui/form/fields.tsx'
import { newParameter, type ParameterDraft } from './scriptDraft.ts'

interface Props {
  readonly drafts: readonly ParameterDraft[]
  change(drafts: ParameterDraft[]): void
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
  const replace = (draft: ParameterDraft) => change(drafts.map((each) => (each.key === draft.key ? draft : each)))
  return (
    <>
      <p className="text-muted text-sm">
        The script finds each value in its environment, as <code>PARAM_</code> and the name in capitals.
      </p>
      {drafts.map((draft, index) => (
        <ParameterEditor
          key={draft.key}
          draft={draft}
          number={index + 1}
          change={replace}
          remove={() => change(drafts.filter(({ key }) => key !== draft.key))}
        />
      ))}
      <div>
        <Button
          small
          blocked={drafts.length >= parametersMax && `A script has at most ${parametersMax} parameters`}
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
    <fieldset aria-label={`Parameter ${number}`} className="flex min-w-0 items-start gap-2">
      <div className="grid min-w-0 flex-1 gap-3 rounded-md border border-line p-3">
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
      </div>
      <IconButton label={`Remove parameter ${draft.name || number}`} onClick={remove}>
        <X aria-hidden className="size-4" />
      </IconButton>
    </fieldset>
  )
}
