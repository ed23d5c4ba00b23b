import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button/Button.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
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
  const replace = (step: StepDraft) => set({ steps: steps.map((each) => (each.id === step.id ? step : each)) })
  return (
    <>
      {steps.length === 0 && <p className="text-muted text-sm">Without steps, alerts are shown in the console only.</p>}
      {steps.map((step, index) => (
        <StepEditor
          key={step.id}
          step={step}
          number={index + 1}
          recipients={recipients}
          change={replace}
          remove={() => set({ steps: steps.filter(({ id }) => id !== step.id) })}
        />
      ))}
      <div>
        <Button
          small
          blocked={steps.length >= stepsMax && `A policy has at most ${stepsMax} steps`}
          onClick={() => set({ steps: [...steps, newStep(steps)] })}
        >
          <Plus aria-hidden className="size-3.5" />
          Add step
        </Button>
      </div>
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
  remove(): void
}
function StepEditor({ step, number, recipients: { channels, users, roles }, change, remove }: StepProps) {
  return (
    <fieldset
      aria-label={`Step ${number}`}
      className="grid min-w-0 gap-3 rounded-lg border border-line bg-sunken/40 p-3"
    >
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label={`Step ${number}: after (minutes)`}
            type="number"
            min={0}
            max={10_080}
            value={step.afterMinutes}
            onChange={({ target }) => change({ ...step, afterMinutes: target.value })}
          />
        </div>
        <IconButton label={`Remove step ${number}`} onClick={remove}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
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
    </fieldset>
  )
}
