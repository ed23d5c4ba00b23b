import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { AreaField, TextField } from '../../../ui/form/fields.tsx'
import { OwnerField } from '../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../tenancy/tenancy/organizations/useOwner.ts'
import { SeverityField } from '../alerts/SeverityField.tsx'
import { ConditionEditor } from '../conditions/ConditionEditor.tsx'
import { type ConditionDraft, conditionDraftOf, conditionsOf, newConditions } from '../conditions/conditionDraft.ts'
import { conditionsText } from '../conditions/words.ts'
import { FormSection } from '../FormSection.tsx'
import { AlertTextFields, TimingFields } from '../rules/BehaviorFields.tsx'
import { type BehaviorDraft, behaviorDraftOf, behaviorOf, noRecipients } from '../rules/behavior.ts'
import { RecipientFields } from '../rules/RecipientFields.tsx'
import { ParameterFields } from './ParameterFields.tsx'
import {
  faultOfConditions,
  faultOfParameters,
  type ParameterDraft,
  parameterDraftOf,
  parameterOf,
  templateConditions,
} from './templateDraft.ts'

interface Props {
  /** The template to edit. A new one is created without it. */
  readonly template?: AlertTemplate
  /** Creates a new one that begins with what the template says. */
  readonly isCopy?: boolean
  close(): void
}

interface Draft extends BehaviorDraft {
  readonly category: string
  readonly description: string
  readonly parameters: readonly ParameterDraft[]
  /** Null for conditions that the editor cannot show: they stay as they are. */
  readonly conditions: ConditionDraft | null
}

const draftOf = (template: AlertTemplate | undefined, isCopy: boolean): Draft => ({
  ...behaviorDraftOf(template),
  ...(template && isCopy && { name: `${template.name} (copy)` }),
  category: template?.category ?? 'custom',
  description: template?.description ?? '',
  parameters: template?.parameters.map(parameterDraftOf) ?? [],
  conditions: template ? conditionDraftOf(template.conditions) : newConditions(),
})

/** What a template says, with its parameters. */
export function TemplateForm({ template, isCopy = false, close }: Props) {
  const [draft, setDraft] = useState(() => draftOf(template, isCopy))
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const edited = isCopy ? undefined : template
  const owner = useOwner(edited, template?.orgId)
  const { orgId } = owner
  const chooseOwner = (next: string | null) => {
    owner.choose(next)
    set(noRecipients)
  }
  const names = draft.parameters.map(({ name }) => name).filter((name) => name !== '')
  const conditions = draft.conditions === null ? template?.conditions : conditionsOf(draft.conditions)
  const values = new Map(draft.parameters.map(parameterOf).map((each) => [each.name, each.default]))
  const fault = faultOfConditions(conditions, values)
  const save = useApiMutation(
    () => {
      const given = {
        ...behaviorOf(draft),
        category: draft.category,
        description: draft.description.trim() || null,
        parameters: draft.parameters.map(parameterOf),
        conditions: templateConditions(conditions),
      }
      return edited
        ? api.alertTemplates.templates.update.mutate({ id: edited.id, ...given })
        : api.alertTemplates.templates.create.mutate({ ...given, ...(orgId && { orgId }) })
    },
    {
      refresh: ['alertTemplates', 'alerts.rules'],
      done() {
        toast('Template saved')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      wide
      close={close}
      title={edited ? `Edit ${edited.name}` : 'New alert template'}
      description={
        edited && edited.ruleCount > 0
          ? 'Its rules follow the change where they have no value of their own.'
          : undefined
      }
      verb={edited ? 'Save template' : 'Create template'}
      busy={save.isPending}
      blocked={
        (draft.name.trim() === '' && 'Enter a name') ||
        (owner.fault ?? faultOfParameters(draft.parameters) ?? fault ?? false)
      }
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <SeverityField value={draft.severity} choose={(severity) => set({ severity })} />
        <TextField label="Category" value={draft.category} onChange={({ target }) => set({ category: target.value })} />
        <OwnerField {...owner} choose={chooseOwner} />
      </div>
      <AreaField
        label="Description"
        optional
        rows={2}
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <FormSection title="Parameters">
        <ParameterFields drafts={draft.parameters} change={(parameters) => set({ parameters })} />
      </FormSection>
      <FormSection title="Conditions">
        {draft.conditions === null ? (
          <p className="text-sm">{conditionsText(template?.conditions)}</p>
        ) : (
          <ConditionEditor
            draft={draft.conditions}
            orgId={orgId}
            parameters={names}
            fault={fault}
            change={(next) => set({ conditions: next })}
          />
        )}
      </FormSection>
      <FormSection title="Timing">
        <TimingFields draft={draft} set={set} />
      </FormSection>
      <FormSection title="Recipients">
        <RecipientFields orgId={orgId} draft={draft} set={set} />
      </FormSection>
      <FormSection title="Texts">
        <AlertTextFields draft={draft} set={set} parameters={names} />
      </FormSection>
    </SideForm>
  )
}
