import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../../queries.ts'
import { useCan, useMe } from '../../../../session/session.tsx'
import { usePlace } from '../../../../shell/place.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { CheckField, TextField } from '../../../../ui/form/fields.tsx'
import { messageOf } from '../../../../ui/page/states.tsx'
import { momentOf } from '../../../../ui/text/localMoment.ts'
import { many } from '../../../../ui/text/quantity.ts'
import { skipWords } from '../../../fleet/devices/list/bulk.ts'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { TargetFields } from '../../../fleet/targets/TargetFields.tsx'
import {
  allDevices,
  faultOfTargets,
  isNothing,
  type TargetDraft,
  targetsOf,
} from '../../../fleet/targets/targetDraft.ts'
import { FormSection } from '../../../watch/FormSection.tsx'
import { faultOfValues, type ValueDrafts, valueDraftsOf, valuesOf } from './runDraft.ts'
import { ValueFields } from './ValueFields.tsx'

/** From this number of devices on, the user types it to confirm. */
const carefulFrom = 20
const waitMs = 300

type Run = Parameters<typeof api.scripts.executions.preview.query>[0]

interface Props {
  readonly script: KeptScript
  /** The devices to begin with. */
  readonly deviceIds?: readonly string[]
  close(): void
}

/** Runs a script: its parameters, its devices, and how many it reaches. */
export function RunForm({ script, deviceIds = [], close }: Props) {
  const navigate = useNavigate()
  const me = useMe()
  const { org } = usePlace()
  const orgId = script.orgId ?? org ?? me.orgId
  const [values, setValues] = useState<ValueDrafts>(() => valueDraftsOf(script.parameters))
  const [targets, setTargets] = useState<TargetDraft>({
    ...allDevices,
    targets: { ...allDevices.targets, deviceIds: [...deviceIds] },
  })
  const [respectMaintenance, setRespect] = useState(true)
  const [typed, setTyped] = useState('')
  const [start, setStart] = useState('')
  const startAt = momentOf(start)
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { targets: named, exclude } = targetsOf(targets)
  const run: Run = {
    ...{ id: script.id, ...named, exclude, respectMaintenance },
    parameters: valuesOf(script.parameters, values),
  }
  const fields = useFields(orgId ?? undefined)
  const fault =
    faultOfValues(script.parameters, values) ??
    faultOfTargets(targets, fields) ??
    (isNothing(targets.targets) && targets.filter === null ? 'Select devices' : undefined)
  const preview = usePreview(fault === undefined ? run : undefined)
  const devices = preview.data?.devices ?? 0
  const isCareful = devices >= carefulFrom
  const send = useApiMutation(
    () => api.scripts.executions.execute.mutate({ ...run, ...(startAt === null ? { idempotencyKey } : { startAt }) }),
    {
      refresh: ['scripts', 'deployments', 'devices.commands', 'devices.approvals'],
      done({ batchId, approval, failed, deploymentId }) {
        close()
        if (approval !== null) {
          toast('A second person has to approve the run')
          void navigate({ to: '/approvals' })
        } else if (deploymentId !== null) {
          void navigate({ to: '/deployments/$deploymentId', params: { deploymentId } })
        } else if (batchId !== null) {
          void navigate({ to: '/scripts/$scriptId', params: { scriptId: script.id }, search: { tab: 'runs' } })
        } else toast(failed[0]?.message ?? 'No device can run the script now', { bad: true })
      },
    },
  )
  const blocked =
    fault ??
    (preview.isPending ? 'Counting devices' : undefined) ??
    (devices === 0 ? 'No device can run it' : undefined) ??
    (isCareful && typed.trim() !== String(devices) ? `Type ${devices} first` : undefined) ??
    (startAt !== null && Date.parse(startAt) <= Date.now() ? 'Select a start in the future' : undefined)
  return (
    <SideForm
      open
      wide
      close={close}
      title={`Run ${script.name}`}
      verb={`${startAt === null ? 'Run' : 'Schedule'}${devices > 0 ? ` on ${many(devices, 'device')}` : ''}`}
      busy={send.isPending}
      blocked={blocked ?? false}
      error={send.error}
      submit={() => send.mutate(undefined)}
    >
      {script.parameters.length > 0 && (
        <section aria-label="Parameters" className="grid gap-4">
          <h3 className="font-semibold">Parameters</h3>
          <ValueFields parameters={script.parameters} drafts={values} takesFields orgId={orgId} change={setValues} />
        </section>
      )}
      <FormSection title="Devices">
        <TargetFields orgId={orgId} value={targets} change={setTargets} />
        <CheckField
          label="Respect maintenance windows"
          checked={respectMaintenance}
          onChange={(next) => setRespect(next)}
        />
      </FormSection>
      <StartField value={start} change={setStart} />
      {fault === undefined && <Summary answer={preview} />}
      {isCareful && (
        <TextField
          label={`Type ${devices} to confirm`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </SideForm>
  )
}

/** When it runs. A later start makes a deployment. */
function StartField({ value, change }: { readonly value: string; change(start: string): void }) {
  const mayDeploy = useCan()('automations:write')
  return (
    <TextField
      label="Start"
      optional
      type="datetime-local"
      hint={
        mayDeploy
          ? 'In the time of your browser. Empty to run it now.'
          : 'Starting later takes the permission to edit automations.'
      }
      disabled={!mayDeploy}
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}

/** What a run would reach, asked a moment after its last change. */
function usePreview(run: Run | undefined) {
  const wanted = JSON.stringify(run ?? null)
  const [asked, setAsked] = useState<{ readonly text: string; readonly run: Run | undefined }>({
    text: '',
    run: undefined,
  })
  const ask = useEffectEvent((text: string) => setAsked({ text, run }))
  useEffect(() => {
    const timer = setTimeout(() => ask(wanted), waitMs)
    return () => clearTimeout(timer)
  }, [wanted])
  const answer = useApiQuery((client) => client.scripts.executions.preview, asked.run ?? { id: '' }, {
    enabled: asked.run !== undefined && asked.text === wanted,
    keepLast: true,
  })
  return { ...answer, isPending: answer.isPending || asked.text !== wanted }
}

function Summary({ answer: { data, error } }: { readonly answer: ReturnType<typeof usePreview> }) {
  return (
    <section
      aria-label="Affected devices"
      aria-live="polite"
      className="grid gap-1 rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn-text"
    >
      {error ? (
        <p>{messageOf(error)}</p>
      ) : data === undefined ? (
        <p>Counting devices</p>
      ) : (
        <>
          <p className="font-semibold">
            {many(data.devices, 'device')} in {many(data.organizations, 'organization')}.
          </p>
          {data.skipped.map(({ reason, devices }) => (
            <p key={reason}>
              {many(devices, 'device')} skipped: {skipWords[reason] ?? reason}
            </p>
          ))}
          {data.failed.slice(0, 3).map(({ deviceId, message }) => (
            <p key={deviceId}>{message}</p>
          ))}
        </>
      )}
    </section>
  )
}
