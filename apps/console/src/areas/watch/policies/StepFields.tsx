import { CheckList } from '../../../ui/form/CheckList.tsx'
import { DraftList } from '../../../ui/form/DraftList.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { newStep, type PolicyDraft, type StepDraft } from './policyDraft.ts'
import { type Recipients, useRecipients } from './useRecipients.ts'

interface Props {
  readonly orgId: string | null
  readonly partnerId: string | undefined
  readonly draft: PolicyDraft
  set(part: Partial<PolicyDraft>): void
}
const stepsMax = 10
const choicesOf = (named: readonly { id: string; name: string }[]) => named.map(({ id, name }) => ({ id, label: name }))

/** Whom a policy tells, and after how many minutes. */
export function StepFields({ orgId, partnerId, draft: { steps, loops }, set }: Props) {
  const recipients = useRecipients(orgId, partnerId)
  return (
    <>
      {steps.length === 0 && <p className="text-muted text-sm">Without steps, alerts are shown in the console only.</p>}
      <DraftList
        noun="step"
        drafts={steps}
        full={steps.length >= stepsMax && `A policy has at most ${stepsMax} steps`}
        make={newStep}
        change={(next) => set({ steps: next })}
      >
        {(step, replace, index) => (
          <StepEditor step={step} number={index + 1} recipients={recipients} change={replace} />
        )}
      </DraftList>
      <TextField
        label="Repeat all steps"
        hint="How many times, from 0 to 5. Any action on the alerts stops the steps."
        type="number"
        min={0}
        max={5}
        value={loops}
        onChange={({ target }) => set({ loops: target.value })}
      />
    </>
  )
}

interface StepProps {
  readonly step: StepDraft
  readonly number: number
  readonly recipients: Recipients
  change(step: StepDraft): void
}
function StepEditor({ step, number, recipients: { channels, users, roles }, change }: StepProps) {
  return (
    <>
      <TextField
        label={`Step ${number}: after (minutes)`}
        type="number"
        min={0}
        max={10_080}
        value={step.afterMinutes}
        onChange={({ target }) => change({ ...step, afterMinutes: target.value })}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        <CheckList
          label="Channels"
          choices={choicesOf(channels)}
          chosen={step.channelIds}
          change={(channelIds) => change({ ...step, channelIds })}
        />
        <CheckList
          label="Users"
          choices={choicesOf(users)}
          chosen={step.userIds}
          change={(userIds) => change({ ...step, userIds })}
        />
        <CheckList
          label="Roles"
          choices={choicesOf(roles)}
          chosen={step.roleIds}
          change={(roleIds) => change({ ...step, roleIds })}
        />
      </div>
    </>
  )
}
