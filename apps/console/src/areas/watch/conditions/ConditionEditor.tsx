import { eventTypes } from '@muster/areas/events.contract.ts'
import { useId } from 'react'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { AreaField, TextField } from '../../../ui/form/fields.tsx'
import { filterOf, isSound } from '../../fleet/filters/draft.ts'
import { FilterBuilder } from '../../fleet/filters/FilterBuilder.tsx'
import { Preview } from '../../fleet/filters/Preview.tsx'
import { useFields } from '../../fleet/filters/useFields.ts'
import { eventText } from '../eventWords.ts'
import { type ConditionDraft, newConditions } from './conditionDraft.ts'
import { kindOptions, metricOptions, type ValueField, valueFields } from './kinds.ts'
import { MetricTreeEditor } from './MetricTreeEditor.tsx'

interface Props {
  readonly draft: ConditionDraft
  readonly orgId: string | null
  /** The names of the parameters that values can be, for templates. */
  readonly parameters?: readonly string[]
  /** Why the conditions are not valid yet. */
  readonly fault: string | undefined
  change(draft: ConditionDraft): void
}
const none: readonly string[] = []
const eventOptions = eventTypes.map(({ name }) => [name, `${eventText(name)} (${name})`] as const)

/** What a rule or a template asks: a tree of metrics, or one condition of another kind. */
export function ConditionEditor({ draft, orgId, parameters = none, fault, change }: Props) {
  const list = useId()
  const { kind } = draft
  return (
    <div className="grid gap-4">
      <ChoiceField
        label="Condition type"
        value={kind}
        options={kindOptions}
        choose={(next) => change(newConditions(next))}
      />
      <datalist id={list}>
        {parameters.map((name) => (
          <option key={name} value={`{{${name}}}`} />
        ))}
      </datalist>
      {kind === 'metric' && (
        <MetricTreeEditor tree={draft.tree} list={list} change={(tree) => change({ ...draft, tree })} />
      )}
      {kind === 'filter' && <FilterCondition draft={draft} orgId={orgId} change={change} />}
      {valueFields[kind].length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {valueFields[kind].map((field) => (
            <Value
              key={field.name}
              field={field}
              list={list}
              value={draft.values[field.name] ?? ''}
              change={(value) => change({ ...draft, values: { ...draft.values, [field.name]: value } })}
            />
          ))}
        </div>
      )}
      {fault !== undefined && (
        <p role="status" className="text-bad-text text-xs">
          {fault}
        </p>
      )}
    </div>
  )
}

interface ValueProps {
  readonly field: ValueField
  readonly list: string
  readonly value: string
  change(value: string): void
}
function Value({ field: { name, label, type, hint, optional = false }, list, value, change }: ValueProps) {
  const more = { label, optional, ...(hint && { hint }) }
  if (name === 'metric') return <ChoiceField {...more} value={value} options={metricOptions} choose={change} />
  if (type === 'event') return <ChoiceField {...more} value={value} options={eventOptions} choose={change} />
  if (type === 'lines') return <AreaField {...more} value={value} onChange={({ target }) => change(target.value)} />
  return (
    <TextField
      {...more}
      list={list}
      autoComplete="off"
      {...(type === 'number' && { inputMode: 'decimal' as const })}
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}

function FilterCondition({ draft, orgId, change }: Pick<Props, 'draft' | 'orgId' | 'change'>) {
  const fields = useFields(orgId ?? undefined)
  const { filter } = draft
  return (
    <>
      <FilterBuilder draft={filter} fields={fields} change={(next) => change({ ...draft, filter: next })} />
      <Preview filter={isSound(filter, fields) ? filterOf(filter) : undefined} orgId={orgId ?? undefined} />
    </>
  )
}
