import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { CheckField, TextField } from '../../../../ui/form/fields.tsx'
import type { DeploymentDraft } from './deploymentDraft.ts'
import { faultsOf } from './numbers.ts'

interface Props {
  readonly draft: DeploymentDraft
  set(part: Partial<DeploymentDraft>): void
}

type NumberField = keyof ReturnType<typeof faultsOf>

const errorKinds = [
  ['percent', 'Percent of the devices'],
  ['count', 'Number of devices'],
] as const
const absences = [
  ['wait', 'Wait until they are online'],
  ['skip', 'Skip them'],
] as const

/** When a deployment goes on, and how fast. */
export function LimitFields({ draft, set }: Props) {
  const faults = faultsOf(draft)
  const field = (name: NumberField) => ({
    inputMode: 'numeric' as const,
    value: draft[name],
    error: faults[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })
  return (
    <div className="grid items-start gap-4 sm:grid-cols-3">
      <TextField label="Soak in seconds" hint="How long a batch is watched after its end" {...field('soakSeconds')} />
      <TextField label="Success in percent" hint="Of the devices of a batch" {...field('successPercent')} />
      <TextField label="Devices at once" {...field('maxConcurrency')} />
      <ChoiceField
        label="Failures as"
        value={draft.errorKind}
        options={errorKinds}
        choose={(errorKind) => set({ errorKind })}
      />
      <TextField label="Failures at most" hint="More halt the deployment" {...field('errors')} />
      <TextField label="Devices per minute" optional {...field('perMinute')} />
      <TextField label="Retries" {...field('retries')} />
      <TextField label="Retry delay in seconds" {...field('retrySeconds')} />
      <ChoiceField
        label="Offline devices"
        value={draft.offline}
        options={absences}
        choose={(offline) => set({ offline })}
      />
      <CheckField
        label="Respect maintenance windows"
        checked={draft.respectMaintenance}
        onChange={(respectMaintenance) => set({ respectMaintenance })}
      />
    </div>
  )
}
