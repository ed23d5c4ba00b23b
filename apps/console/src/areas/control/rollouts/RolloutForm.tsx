import type { AgentVersion } from '@muster/areas/control/agent-versions/versions.contract.ts'
import { rollouts } from '@muster/areas/control/rollouts/rollouts.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useFullList } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { SelectField, TextField } from '../../../ui/form/fields.tsx'

type Given = Parameters<typeof api.rollouts.rollouts.create.mutate>[0]
const numbersIn = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number)

const choice = ({ version, candidate }: AgentVersion) => (
  <option key={version} value={version}>
    {version}
    {candidate ? ' (candidate)' : ''}
  </option>
)

interface Props {
  done(id: string): void
  close(): void
}

/** A new rollout: the version, its stages and its failure threshold. */
export function RolloutForm({ done, close }: Props) {
  const versions = useFullList((client) => client.agentVersions.versions.list, {}).data ?? []
  const [chosen, setChosen] = useState('')
  const version = chosen || (versions.find(({ candidate }) => !candidate) ?? versions[0])?.version || ''
  const [stages, setStages] = useState('1, 10, 50, 100')
  const [hours, setHours] = useState('1')
  const [success, setSuccess] = useState('95')
  const [errors, setErrors] = useState('2')
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const start = useApiMutation((given: Given) => api.rollouts.rollouts.create.mutate(given), {
    refresh: ['rollouts'],
    done: ({ id }) => {
      toast('Rollout started')
      close()
      done(id)
    },
  })
  const submit = () => {
    const checked = rollouts.create.input.safeParse({
      version,
      stages: numbersIn(stages),
      stageSeconds: Math.round(Number(hours) * 3_600),
      successPercent: Number(success),
      errorPercent: Number(errors),
    })
    setFaults(Object.fromEntries((checked.error?.issues ?? []).map(({ path, message }) => [String(path[0]), message])))
    if (checked.success) start.mutate(checked.data)
  }
  return (
    <SideForm
      open
      close={close}
      title="New rollout"
      description="The devices of the first ring get the version immediately. Each next ring follows when enough of them succeed."
      verb="Start rollout"
      busy={start.isPending}
      blocked={version === '' && 'Publish or import a version first'}
      error={start.error}
      submit={submit}
    >
      <SelectField label="Version" value={version} onChange={({ target }) => setChosen(target.value)}>
        {versions.length === 0 ? <option value="">No versions yet</option> : versions.map(choice)}
      </SelectField>
      <TextField
        label="Rings (% of the fleet)"
        hint="Increasing. The first is at most 10, the last is 100."
        error={faults.stages}
        value={stages}
        onChange={({ target }) => setStages(target.value)}
      />
      <TextField
        label="Minimum hours per ring"
        type="number"
        min={1 / 6}
        step="any"
        error={faults.stageSeconds}
        value={hours}
        onChange={({ target }) => setHours(target.value)}
      />
      <TextField
        label="Success threshold (%)"
        type="number"
        min={1}
        max={100}
        error={faults.successPercent}
        value={success}
        onChange={({ target }) => setSuccess(target.value)}
      />
      <TextField
        label="Failure threshold (%)"
        type="number"
        min={0}
        max={50}
        step="any"
        error={faults.errorPercent}
        value={errors}
        onChange={({ target }) => setErrors(target.value)}
      />
    </SideForm>
  )
}
