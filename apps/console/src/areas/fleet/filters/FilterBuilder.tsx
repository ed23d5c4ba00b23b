import type { Field } from '@muster/areas/fleet/filter-language/fields.contract.ts'
import { filterDepthMax } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { X } from 'lucide-react'
import { IconButton } from '../../../ui/button/Button.tsx'
import { ConditionGroup } from '../../../ui/form/ConditionGroup.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { type Fields, faultIn, type Group, groupOfOne, isGroup, newRule, type Part, type Rule } from './draft.ts'
import { fieldGroups } from './fieldGroups.ts'
import { ValueField } from './ValueField.tsx'
import { firstValue, operatorsFor } from './words.ts'

interface Props {
  readonly draft: Group
  readonly fields: Fields
  change(draft: Group): void
}

const kinds = [
  ['all', 'Match all'],
  ['any', 'Match any'],
  ['none', 'Match none'],
] as const

/** Edits a filter: conditions, and groups of conditions within each other. */
export function FilterBuilder({ draft, fields, change }: Props) {
  return <GroupEditor group={draft} fields={fields} depth={0} change={change} />
}

interface GroupProps {
  readonly group: Group
  readonly fields: Fields
  readonly depth: number
  change(group: Group): void
  remove?(): void
}
function GroupEditor({ group, fields, depth, change, remove }: GroupProps) {
  const { parts } = group
  const set = (next: readonly Part[]) => change({ ...group, parts: next })
  const replace = (part: Part) => set(parts.map((each) => (each.id === part.id ? part : each)))
  const without = (part: Part) => () => set(parts.filter(({ id }) => id !== part.id))
  return (
    <ConditionGroup
      label={depth === 0 ? 'Filter' : 'Group of conditions'}
      isInner={depth > 0}
      kind={group.kind}
      kinds={kinds}
      // A group is one level and what is in it another, and “none” takes a level of its own.
      isDeepest={depth + 2 >= filterDepthMax - 1}
      match={(kind) => change({ ...group, kind })}
      addCondition={() => set([...parts, newRule()])}
      addGroup={() => set([...parts, groupOfOne()])}
      remove={remove}
    >
      {parts.map((part, index) =>
        isGroup(part) ? (
          <GroupEditor
            key={part.id}
            group={part}
            fields={fields}
            depth={depth + 1}
            change={replace}
            remove={without(part)}
          />
        ) : (
          <RuleEditor
            key={part.id}
            rule={part}
            number={index + 1}
            fields={fields}
            change={replace}
            remove={without(part)}
          />
        ),
      )}
    </ConditionGroup>
  )
}

interface RuleProps {
  readonly rule: Rule
  readonly number: number
  readonly fields: Fields
  change(rule: Rule): void
  remove(): void
}
const unknown: Field = { type: 'text', label: '' }

function RuleEditor({ rule, number, fields, change, remove }: RuleProps) {
  const field = fields.get(rule.field) ?? unknown
  const fault = faultIn(rule, fields)
  const begin = (name: string, op?: string) => {
    const next = fields.get(name) ?? unknown
    const operators = operatorsFor(next.type).map(([each]) => each)
    const chosen = op ?? operators[0] ?? 'is'
    change({ ...rule, field: name, op: chosen, value: firstValue(next.type, chosen, next.values ?? []) })
  }
  return (
    <fieldset aria-label={`Condition ${number}`} className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-center gap-1.5">
        <FieldChoice fields={fields} value={rule.field} choose={begin} />
        <Select
          label="Comparison"
          value={rule.op}
          options={operatorsFor(field.type)}
          className="w-44"
          choose={(op) => op && (keepsValue(rule.op, op) ? change({ ...rule, op }) : begin(rule.field, op))}
        />
        <ValueField
          key={`${rule.field} ${rule.op}`}
          name={rule.field}
          field={field}
          op={rule.op}
          value={rule.value}
          change={(value) => change({ ...rule, value })}
        />
        <IconButton small label={`Remove condition ${number}`} onClick={remove}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      {fault !== null && (
        <p role="status" className="text-bad-text text-xs">
          {field.label || rule.field}: {fault}
        </p>
      )}
    </fieldset>
  )
}

const special = ['isSet', 'isNotSet', 'in', 'notIn', 'between', 'withinLast', 'notWithinLast']
/** Two comparisons that take the same kind of value. */
const keepsValue = (from: string, to: string) => !special.includes(from) && !special.includes(to)

interface FieldChoiceProps {
  readonly fields: Fields
  readonly value: string
  choose(name: string): void
}
function FieldChoice({ fields, value, choose }: FieldChoiceProps) {
  const options = fieldGroups(fields)
  return (
    <Select
      label="Field"
      className="w-56"
      value={value}
      options={fields.has(value) ? [] : [[value, `${value} (unknown)`]]}
      groups={options}
      choose={(name) => name && choose(name)}
    />
  )
}
