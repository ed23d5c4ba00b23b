import type { AlertPolicy } from '@muster/areas/watch/policies/policies.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { CheckField, TextField } from '../../../ui/form/fields.tsx'
import { OwnerField } from '../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../tenancy/tenancy/organizations/useOwner.ts'
import { FormSection } from '../FormSection.tsx'
import { MatchFields } from './MatchFields.tsx'
import { faultOfPolicy, forOtherOwner, type PolicyDraft, policyDraftOf, policyOf } from './policyDraft.ts'
import { StepFields } from './StepFields.tsx'
import { groupByOptions } from './words.ts'

interface Props {
  /** The policy to edit. A new one is created without it. */
  readonly policy?: AlertPolicy
  close(): void
}
const groupChoices = groupByOptions.map(([id, label]) => ({ id, label }))

/** What a policy matches, how it groups alerts, and whom it tells. */
export function PolicyForm({ policy, close }: Props) {
  const owner = useOwner(policy)
  const { orgId } = owner
  const [draft, setDraft] = useState(() => policyDraftOf(policy))
  const set = (part: Partial<PolicyDraft>) => setDraft((now) => ({ ...now, ...part }))
  const chooseOwner = (next: string | null) => {
    owner.choose(next)
    set(forOtherOwner(draft))
  }
  const save = useApiMutation(
    () =>
      policy
        ? api.alertPolicies.policies.update.mutate({ id: policy.id, ...policyOf(draft) })
        : api.alertPolicies.policies.create.mutate({ ...policyOf(draft), ...(orgId && { orgId }) }),
    {
      refresh: ['alertPolicies'],
      done() {
        toast('Policy saved')
        close()
      },
    },
  )
  return (
    <SideForm
      open
      wide
      close={close}
      title={policy ? `Edit ${policy.name}` : 'New alert policy'}
      verb={policy ? 'Save policy' : 'Create policy'}
      busy={save.isPending}
      blocked={owner.fault ?? faultOfPolicy(draft) ?? false}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <OwnerField {...owner} choose={chooseOwner} />
      </div>
      <CheckField label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
      <FormSection title="Alerts">
        <MatchFields orgId={orgId} match={draft.match} change={(match) => set({ match })} />
        <CheckField
          label="Continue with the next policy"
          hint="Otherwise this is the last policy of the alerts that it matches."
          checked={draft.continue}
          onChange={(next) => set({ continue: next })}
        />
      </FormSection>
      <FormSection title="Steps">
        <StepFields orgId={orgId} partnerId={policy?.partnerId} draft={draft} set={set} />
      </FormSection>
      <FormSection title="Grouping">
        <CheckList
          label="Group alerts by"
          hint="Alerts of one group share their messages."
          choices={groupChoices}
          chosen={draft.groupBy}
          change={(chosen) =>
            set({ groupBy: groupByOptions.map(([key]) => key).filter((key) => chosen.includes(key)) })
          }
        />
        <Waits draft={draft} set={set} />
      </FormSection>
    </SideForm>
  )
}

const waits = [
  ['groupWaitSeconds', 'First message after (seconds)', 1],
  ['groupIntervalSeconds', 'Next alerts after (seconds)', 5],
  ['repeatIntervalSeconds', 'Repeat after (seconds)', 60],
] as const

const Waits = ({ draft, set }: { readonly draft: PolicyDraft; set(part: Partial<PolicyDraft>): void }) => (
  <div className="grid gap-4 sm:grid-cols-3">
    {waits.map(([name, label, least]) => (
      <TextField
        key={name}
        label={label}
        type="number"
        min={least}
        value={draft[name]}
        onChange={({ target }) => set({ [name]: target.value })}
      />
    ))}
  </div>
)
