import type { ScriptParameter } from '@muster/areas/change/scripts/parameters.contract.ts'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { spelledOut } from '../../../../ui/text/words.ts'
import type { ValueDraft, ValueDrafts } from './runDraft.ts'
import { SecretChoice } from './SecretChoice.tsx'

interface Props {
  readonly parameters: readonly ScriptParameter[]
  readonly drafts: ValueDrafts
  /** Whether values can be fields of devices. */
  readonly takesFields?: boolean
  /** Whose secrets can be selected; those of all organizations without it. */
  readonly orgId?: string | null
  change(drafts: ValueDrafts): void
}

const kinds = [
  ['typed', 'Value'],
  ['field', 'Field of each device'],
] as const

const truths = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

/** The values of parameters, or of the blanks of a template. */
export function ValueFields({ parameters, drafts, takesFields = false, orgId = null, change }: Props) {
  return parameters.map((parameter) => {
    const draft = drafts[parameter.name] ?? { kind: 'typed', text: '' }
    const set = (next: ValueDraft) => change({ ...drafts, [parameter.name]: next })
    const label = parameter.label ?? spelledOut(parameter.name)
    return (
      <div key={parameter.name} className="grid items-start gap-3 sm:grid-cols-[1fr_12rem]">
        {parameter.type === 'secret' ? (
          <SecretChoice
            label={label}
            optional={!parameter.required}
            orgId={orgId}
            name={draft.text}
            choose={(text) => set({ kind: 'typed', text })}
          />
        ) : (
          <ValueField label={label} parameter={parameter} draft={draft} set={set} />
        )}
        {takesFields && parameter.type !== 'secret' && (
          <ChoiceField
            label={`Source of ${label}`}
            value={draft.kind}
            options={kinds}
            choose={(kind) => set({ kind, text: kind === 'field' ? 'hostname' : '' })}
          />
        )}
      </div>
    )
  })
}

interface FieldProps {
  readonly label: string
  readonly parameter: ScriptParameter
  readonly draft: ValueDraft
  set(draft: ValueDraft): void
}

function ValueField({ label, parameter: { type, choices, required, pattern, min, max }, draft, set }: FieldProps) {
  const take = (text: string) => set({ ...draft, text })
  if (draft.kind === 'field')
    return (
      <TextField
        label={label}
        hint="Such as hostname, siteName or custom.rack"
        value={draft.text}
        onChange={({ target }) => take(target.value)}
      />
    )
  if (type === 'boolean')
    return <ChoiceField label={label} value={draft.text === 'true' ? 'true' : 'false'} options={truths} choose={take} />
  if (type === 'choice')
    return (
      <SelectField label={label} value={draft.text} onChange={({ target }) => take(target.value)}>
        {!choices.includes(draft.text) && <option value="">Select one</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </SelectField>
    )
  const unit = type === 'text' ? ' characters' : ''
  const limits = [
    min === null ? null : `at least ${min}${unit}`,
    max === null ? null : `at most ${max}${unit}`,
    pattern === null ? null : `matches ${pattern}`,
  ].filter((each) => each !== null)
  const hint = limits.join(', ')
  return (
    <TextField
      label={label}
      optional={!required}
      {...(hint !== '' && { hint })}
      inputMode={type === 'number' ? 'numeric' : 'text'}
      autoComplete="off"
      value={draft.text}
      onChange={({ target }) => take(target.value)}
    />
  )
}
