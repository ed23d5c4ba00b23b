import type { AgentVersion } from '@muster/areas/control/agent-versions/versions.contract.ts'
import { rollouts } from '@muster/areas/control/rollouts/rollouts.contract.ts'
import { type FormEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useFullList } from '../../../queries.ts'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { SideForm } from '../../../ui/SideForm.tsx'
import { toast } from '../../../ui/toasts.tsx'

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

/** A version, the rings in which it goes out, and what stops it. */
export function RolloutForm({ done, close }: Props) {
  const versions = useFullList((client) => client.agentVersions.versions.list, {}).data ?? []
  const [chosen, setChosen] = useState('')
  const version = chosen || (versions.find(({ candidate }) => !candidate) ?? versions[0])?.version || ''
  const [stages, setStages] = useState('1, 10, 50, 100')
  const [hours, setHours] = useState('1')
  const [success, setSuccess] = useState('95')
  const [errors, setErrors] = useState('2')
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const begin = useApiMutation((given: Given) => api.rollouts.rollouts.create.mutate(given), {
    refresh: ['rollouts'],
    done: ({ id }) => {
      toast('The rollout has begun')
      close()
      done(id)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const checked = rollouts.create.input.safeParse({
      version,
      stages: numbersIn(stages),
      stageSeconds: Math.round(Number(hours) * 3_600),
      successPercent: Number(success),
      errorPercent: Number(errors),
    })
    setFaults(Object.fromEntries((checked.error?.issues ?? []).map(({ path, message }) => [String(path[0]), message])))
    if (checked.success) begin.mutate(checked.data)
  }
  return (
    <SideForm
      open
      close={close}
      title="New rollout"
      description="The version is offered to the devices of the first ring at once. Whether the next ring follows is decided by what became of them."
      verb="Begin"
      busy={begin.isPending}
      blocked={version === '' && 'There is no version to take out yet'}
      error={begin.error}
      submit={submit}
    >
      <SelectField label="Version" value={version} onChange={({ target }) => setChosen(target.value)}>
        {versions.length === 0 ? <option value="">None is published</option> : versions.map(choice)}
      </SelectField>
      <TextField
        label="Rings in percent of the fleet"
        hint="Growing; the first at most 10, the last 100."
        error={faults.stages}
        value={stages}
        onChange={({ target }) => setStages(target.value)}
      />
      <TextField
        label="Hours that a ring lasts at least"
        type="number"
        min={1 / 6}
        step="any"
        error={faults.stageSeconds}
        value={hours}
        onChange={({ target }) => setHours(target.value)}
      />
      <TextField
        label="Percent that have to run it before the next ring"
        type="number"
        min={1}
        max={100}
        error={faults.successPercent}
        value={success}
        onChange={({ target }) => setSuccess(target.value)}
      />
      <TextField
        label="Percent of failures above which it halts"
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
