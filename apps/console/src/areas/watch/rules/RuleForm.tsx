import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckField, Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { useFields } from '../../fleet/filters/useFields.ts'
import { TargetFields } from '../../fleet/targets/TargetFields.tsx'
import { allDevices, faultOfTargets } from '../../fleet/targets/targetDraft.ts'
import { OwnerField } from '../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../tenancy/tenancy/organizations/useOwner.ts'
import { SeverityField } from '../alerts/SeverityField.tsx'
import { FormSection } from '../FormSection.tsx'
import { faultOfConditions } from '../templates/templateDraft.ts'
import { Backtest } from './Backtest.tsx'
import { AlertTextFields, TimingFields } from './BehaviorFields.tsx'
import { noRecipients } from './behavior.ts'
import { RecipientFields } from './RecipientFields.tsx'
import { RuleConditions } from './RuleConditions.tsx'
import { conditionsIn, type Origin, previewOf, type RuleDraft, requestOf, ruleDraftOf } from './ruleDraft.ts'
import { useTemplates } from './useTemplates.ts'

interface Props {
  /** The rule to edit. A new one is created without it. */
  readonly rule?: AlertRule
  /** The template of a new rule. */
  readonly templateId?: string | undefined
  chooseTemplate?(id: string | undefined): void
  done?(rule: AlertRule): void
  close(): void
}

/** The editor of a rule. It begins once its template is known. */
export function RuleForm(props: Props) {
  const wanted = props.rule?.templateId ?? props.templateId ?? null
  const templates = useTemplates()
  const template = templates.find(({ id }) => id === wanted)
  if (wanted !== null && template === undefined && templates.length === 0) return null
  return <RuleEditor key={template?.id} {...props} template={template} templates={templates} />
}

interface EditorProps extends Props {
  readonly template: AlertTemplate | undefined
  readonly templates: readonly AlertTemplate[]
}

function RuleEditor({ rule, template, templates, chooseTemplate, done, close }: EditorProps) {
  const owner = useOwner(rule, template?.orgId)
  const { orgId } = owner
  const origin: Origin = { rule, template }
  const [draft, setDraft] = useState(() => ruleDraftOf(origin))
  const set = (part: Partial<RuleDraft>) => setDraft((now) => ({ ...now, ...part }))
  const chooseOwner = (next: string | null) => {
    owner.choose(next)
    set({ targets: allDevices, ...noRecipients })
  }
  const conditions = conditionsIn(draft, origin)
  const fault = faultOfConditions(conditions)
  const targetFault = faultOfTargets(draft.targets, useFields(orgId ?? undefined))
  const missing = owner.fault ?? fault ?? targetFault
  const save = useSave(origin, orgId, (saved) => {
    toast('Rule saved')
    close()
    done?.(saved)
  })
  return (
    <SideForm
      open
      wide
      close={close}
      title={rule ? `Edit ${rule.name}` : 'New alert rule'}
      verb={rule ? 'Save rule' : 'Create rule'}
      busy={save.isPending}
      blocked={(draft.name.trim() === '' && 'Enter a name') || (missing ?? false)}
      error={save.error}
      submit={() => save.mutate(draft)}
    >
      {rule === undefined && (
        <SelectField
          label="Template"
          optional
          value={template?.id ?? ''}
          onChange={({ target }) => chooseTemplate?.(target.value || undefined)}
        >
          <option value="">No template</option>
          <Options of={templates} />
        </SelectField>
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <SeverityField value={draft.severity} choose={(severity) => set({ severity })} />
        <OwnerField {...owner} choose={chooseOwner} />
      </div>
      <CheckField label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
      <FormSection title="Conditions">
        <RuleConditions {...{ origin, orgId, draft, set, fault }} />
      </FormSection>
      <FormSection title="Targets">
        <TargetFields orgId={orgId} value={draft.targets} change={(targets) => set({ targets })} />
      </FormSection>
      <FormSection title="Timing">
        <TimingFields draft={draft} set={set} />
      </FormSection>
      <FormSection title="Backtest">
        <Backtest
          blocked={missing}
          run={(hours) => api.alerts.rules.preview.query({ ...previewOf(draft, origin), orgId, hours })}
        />
      </FormSection>
      <FormSection title="Recipients">
        <RecipientFields {...{ ruleId: rule?.id, orgId, draft, set }} />
      </FormSection>
      <FormSection title="Texts">
        <AlertTextFields draft={draft} set={set} />
      </FormSection>
    </SideForm>
  )
}

function useSave(origin: Origin, orgId: string | null, done: (rule: AlertRule) => void) {
  const { rule, template } = origin
  return useApiMutation(
    (draft: RuleDraft) => {
      const given = requestOf(draft, origin)
      return rule
        ? api.alerts.rules.update.mutate({ id: rule.id, ...given })
        : api.alerts.rules.create.mutate({
            ...given,
            ...(orgId !== null && { orgId }),
            ...(template && { templateId: template.id }),
          })
    },
    { refresh: ['alerts', 'alertTemplates'], done },
  )
}
