import { AreaField, TextField } from '../../../../ui/form/fields.tsx'
import { filterOf, isSound } from '../../../fleet/filters/draft.ts'
import { FilterBuilder } from '../../../fleet/filters/FilterBuilder.tsx'
import { Preview } from '../../../fleet/filters/Preview.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { FormSection } from '../../../watch/FormSection.tsx'
import { ActionList } from './actions/ActionList.tsx'
import type { DraftProps } from './editorProps.ts'
import { LimitFields } from './LimitFields.tsx'
import { TriggerFields } from './trigger/TriggerFields.tsx'

/** What an automation does: what starts it, on which devices, and its actions in their order. */
export function AutomationFields(props: DraftProps) {
  const { draft, faultAt, set } = props
  return (
    <>
      <AreaField
        label="Description"
        optional
        rows={2}
        error={faultAt('description')}
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <FormSection title="Trigger">
        <TriggerFields trigger={draft.trigger} faultAt={faultAt} change={(trigger) => set({ trigger })} />
      </FormSection>
      <FormSection title="Conditions">
        <ConditionFields {...props} />
      </FormSection>
      <FormSection title="Actions">
        <ActionList {...props} />
      </FormSection>
      <FormSection title="Limits">
        <LimitFields {...props} />
      </FormSection>
    </>
  )
}

/** The name, which stands above the others. */
export const NameField = ({ draft, faultAt, set }: DraftProps) => (
  <TextField
    label="Name"
    error={faultAt('name')}
    value={draft.name}
    onChange={({ target }) => set({ name: target.value })}
  />
)

function ConditionFields({ draft: { conditions }, orgId, faultAt, set }: DraftProps) {
  const fields = useFields(orgId ?? undefined)
  const whole = isSound(conditions, fields) ? filterOf(conditions) : undefined
  const fault = faultAt('conditions')
  return (
    <>
      <p className="text-muted text-sm">Without conditions a run acts on the device of its event, or on all devices.</p>
      <FilterBuilder draft={conditions} fields={fields} change={(next) => set({ conditions: next })} />
      {fault !== undefined && <p className="text-bad-text text-xs">{fault}</p>}
      {conditions.parts.length > 0 && <Preview filter={whole} orgId={orgId ?? undefined} />}
    </>
  )
}
