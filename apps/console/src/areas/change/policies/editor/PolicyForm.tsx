import { type Policy, policies } from '@muster/areas/change/device-policies/policies.contract.ts'
import { plainWords } from '@muster/kit/schema/plain-words.rules.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { useMe } from '../../../../session/session.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { DraftList } from '../../../../ui/form/DraftList.tsx'
import { errorBeside, faultAt, type Issue, issuesIn, issuesOf } from '../../../../ui/form/faults.ts'
import { AreaField, TextField } from '../../../../ui/form/fields.tsx'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { FormSection } from '../../../watch/FormSection.tsx'
import { modeHints, modes } from '../words.tsx'
import { DeviceFields } from './DeviceFields.tsx'
import { emptyPolicy, forOtherOwner, newRuleDraft, type PolicyDraft, policyDraftOf, policyOf } from './policyDraft.ts'
import { RuleEditor } from './RuleEditor.tsx'
import { SettingFields } from './SettingFields.tsx'

interface Props {
  /** The policy to edit. A new one is created without it. */
  readonly policy?: Policy
  done?(policy: Policy): void
  close(): void
}

const rulesMax = 100
/** Where faults are shown. */
const shownFields = [
  'name',
  'description',
  'priority',
  'maxRemediationsPerHour',
  'assignments',
  'exclude',
  'filter',
  'settings',
  'rules',
]
const noIssues: readonly Issue[] = []

/** What a policy requires, of which devices, and what follows when they do not comply. */
export function PolicyForm({ policy, done, close }: Props) {
  const owner = useOwner(policy)
  const { orgId } = owner
  const me = useMe()
  const [draft, setDraft] = useState(() => (policy === undefined ? emptyPolicy : policyDraftOf(policy)))
  const [found, setFound] = useState(noIssues)
  const save = useApiMutation(
    (given: Parameters<typeof api.policies.policies.create.mutate>[0]) => {
      if (policy === undefined) return api.policies.policies.create.mutate(given)
      const { orgId: _owner, partnerId: _partner, ...changes } = given
      return api.policies.policies.update.mutate({ ...changes, id: policy.id })
    },
    {
      refresh: ['policies'],
      done(saved) {
        toast('Policy saved')
        close()
        done?.(saved)
      },
    },
  )
  const set = (part: Partial<PolicyDraft>) => {
    setDraft((now) => ({ ...now, ...part }))
    setFound(noIssues)
    save.reset()
  }
  const chooseOwner = (next: string | null) => {
    owner.choose(next)
    set(forOtherOwner)
  }
  const submit = () => {
    const given = { ...policyOf(draft, policy?.partnerId ?? me.partnerId ?? ''), orgId }
    const parsed = policies.create.input.safeParse(given, { error: plainWords })
    if (parsed.success) return save.mutate(parsed.data)
    setFound(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
  }
  const issues = found.length > 0 ? found : issuesOf(save.error)
  const error = found.length > 0 ? new Error(found[0]?.message) : save.error
  return (
    <SideForm
      open
      wide
      close={close}
      title={policy ? `Edit ${policy.name}` : 'New configuration policy'}
      verb={policy ? 'Save policy' : 'Create policy'}
      busy={save.isPending}
      blocked={owner.fault ?? (draft.name.trim() === '' && 'Enter a name')}
      error={errorBeside(error, issues, shownFields)}
      submit={submit}
    >
      <AboutFields draft={draft} issues={issues} set={set}>
        <OwnerField {...owner} choose={chooseOwner} />
      </AboutFields>
      <FormSection title="Devices">
        <DeviceFields orgId={orgId} draft={draft} issues={issues} set={set} />
      </FormSection>
      <FormSection title="Rules">
        <DraftList
          noun="rule"
          drafts={draft.rules}
          full={draft.rules.length >= rulesMax && `A policy has at most ${rulesMax} rules`}
          make={newRuleDraft}
          nameOf={({ ruleKey }) => ruleKey}
          change={(rules) => set({ rules })}
        >
          {(rule, replace, index) => (
            <RuleEditor draft={rule} orgId={orgId} issues={issuesIn(issues, `rules.${index}`)} change={replace} />
          )}
        </DraftList>
      </FormSection>
      <FormSection title="Settings">
        <SettingFields
          draft={draft.settings}
          issues={issuesIn(issues, 'settings')}
          change={(settings) => set({ settings })}
        />
      </FormSection>
    </SideForm>
  )
}

interface AboutProps {
  readonly draft: PolicyDraft
  readonly issues: readonly Issue[]
  /** The owner. */
  readonly children: ReactNode
  set(part: Partial<PolicyDraft>): void
}

function AboutFields({ draft, issues, children, set }: AboutProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          error={faultAt(issues, 'name')}
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
        />
        {children}
        <ChoiceField
          label="Mode"
          hint={modeHints[draft.mode]}
          value={draft.mode}
          options={modes}
          choose={(mode) => set({ mode })}
        />
        <TextField
          label="Priority"
          hint="From 0 to 10,000. The greater one precedes."
          inputMode="numeric"
          error={faultAt(issues, 'priority')}
          value={draft.priority}
          onChange={({ target }) => set({ priority: target.value })}
        />
        {draft.mode === 'enforce' && (
          <TextField
            label="Remediations per hour at most"
            inputMode="numeric"
            error={faultAt(issues, 'maxRemediationsPerHour')}
            value={draft.maxRemediationsPerHour}
            onChange={({ target }) => set({ maxRemediationsPerHour: target.value })}
          />
        )}
      </div>
      <AreaField
        label="Description"
        optional
        rows={2}
        error={faultAt(issues, 'description')}
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
    </>
  )
}
