import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { CheckField } from '../../../../ui/form/fields.tsx'
import { PlacePicker } from '../../../fleet/targets/PlacePicker.tsx'
import { allDevices } from '../../../fleet/targets/targetDraft.ts'

interface Props {
  readonly automation: Automation
  close(): void
}

/** Starts an automation by hand, on all devices that match or on chosen ones. */
export function RunForm({ automation: { id, name, orgId, maxDevicesPerRun }, close }: Props) {
  const navigate = useNavigate()
  const [named, setNamed] = useState(allDevices.targets)
  const [dryRun, setDryRun] = useState(false)
  const { deviceIds } = named
  const run = useApiMutation(
    () => api.automations.runs.run.mutate({ id, dryRun, ...(deviceIds.length > 0 && { deviceIds: [...deviceIds] }) }),
    {
      refresh: ['automations'],
      done({ id: runId }) {
        close()
        void navigate({ to: '/automations/$automationId/runs/$runId', params: { automationId: id, runId } })
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title={`Run ${name}`}
      description={`A run with more than ${maxDevicesPerRun.toLocaleString('en')} devices does nothing.`}
      verb={dryRun ? 'Start dry run' : 'Start run'}
      busy={run.isPending}
      error={run.error}
      submit={() => run.mutate(undefined)}
    >
      <PlacePicker
        label="Devices"
        none="All devices that match the conditions"
        kinds={['deviceIds']}
        orgId={orgId}
        named={named}
        change={setNamed}
      />
      <CheckField
        label="Dry run"
        hint="Shows what each device would get. Nothing happens."
        checked={dryRun}
        onChange={setDryRun}
      />
    </SideForm>
  )
}
