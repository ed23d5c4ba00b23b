import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { faultAt, type Issue } from '../../../../ui/form/faults.ts'
import { AreaField, CheckField, TextField } from '../../../../ui/form/fields.tsx'
import { FilterBuilder } from '../../../fleet/filters/FilterBuilder.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { ruleSeverities } from '../words.tsx'
import type { RuleDraft } from './policyDraft.ts'
import { RemediationField } from './RemediationField.tsx'
import { kindOf, type RuleField, ruleKinds } from './ruleTypes.ts'

interface Props {
  readonly draft: RuleDraft
  readonly orgId: string | null
  /** What is wrong with the rule, by its fields. */
  readonly issues: readonly Issue[]
  change(draft: RuleDraft): void
}

const typeOptions = ruleKinds.map(({ type, label }) => [type, label] as const)
const aboutFields = ['key', 'type', 'severity', 'message', 'filter', 'remediation']

/** One rule: its type, the fields of the type, and what happens when it is not kept. */
export function RuleEditor({ draft, orgId, issues, change }: Props) {
  const { type, values, stored } = draft
  const kind = kindOf(type)
  const shown = (kind?.fields ?? []).filter(({ shows }) => shows?.(values) ?? true)
  const covered = [...aboutFields, ...shown.flatMap(({ name, paths = [name] }) => paths)]
  const others = issues.filter((issue) => faultAt([issue], ...covered) === undefined)
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <ChoiceField
          label="Type"
          value={type}
          options={kind === undefined ? [[type, type], ...typeOptions] : typeOptions}
          error={faultAt(issues, 'type')}
          choose={(next) => change({ ...draft, type: next, values: next === stored?.type ? values : {} })}
        />
        {shown.map((field) => (
          <ValueField
            key={field.name}
            field={field}
            value={values[field.name] ?? field.options?.[0]?.[0] ?? ''}
            error={faultAt(issues, ...(field.paths ?? [field.name]))}
            change={(value) => change({ ...draft, values: { ...values, [field.name]: value } })}
          />
        ))}
      </div>
      {type === 'filter' && <FilterFields draft={draft} orgId={orgId} issues={issues} change={change} />}
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField
          label="Key"
          hint="The nearest rule with a key holds"
          autoComplete="off"
          error={faultAt(issues, 'key')}
          value={draft.ruleKey}
          onChange={({ target }) => change({ ...draft, ruleKey: target.value })}
        />
        <ChoiceField
          label="Severity"
          value={draft.severity}
          options={ruleSeverities}
          choose={(severity) => change({ ...draft, severity })}
        />
        <TextField
          label="Message"
          optional
          hint="Stands in alerts"
          error={faultAt(issues, 'message')}
          value={draft.message}
          onChange={({ target }) => change({ ...draft, message: target.value })}
        />
      </div>
      <RemediationField
        orgId={orgId}
        remediation={draft.remediation}
        error={faultAt(issues, 'remediation')}
        change={(remediation) => change({ ...draft, remediation })}
      />
      <CheckField
        label="Locked"
        hint="No nearer policy replaces the rule."
        checked={draft.locked}
        onChange={(locked) => change({ ...draft, locked })}
      />
      {others.map(({ path, message }) => (
        <p key={path} className="text-bad-text text-xs">
          {path} {message}
        </p>
      ))}
    </>
  )
}

interface ValueProps {
  readonly field: RuleField
  readonly value: string
  readonly error: string | undefined
  change(value: string): void
}

function ValueField({ field: { label, hint, optional = false, isNumber, isLong, options }, ...props }: ValueProps) {
  const { value, error, change } = props
  const about = { label, optional, error, ...(hint && { hint }) }
  if (options) return <ChoiceField {...about} value={value} options={options} choose={change} />
  if (isLong) return <AreaField {...about} rows={2} value={value} onChange={({ target }) => change(target.value)} />
  return (
    <TextField
      {...about}
      autoComplete="off"
      {...(isNumber && { inputMode: 'decimal' as const })}
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}

function FilterFields({ draft, orgId, issues, change }: Props) {
  const fields = useFields(orgId ?? undefined)
  const fault = faultAt(issues, 'filter')
  return (
    <div className="grid gap-1">
      <p className="font-medium text-sm">Devices comply that match</p>
      <FilterBuilder draft={draft.filter} fields={fields} change={(filter) => change({ ...draft, filter })} />
      {fault !== undefined && <p className="text-bad-text text-xs">{fault}</p>}
    </div>
  )
}
