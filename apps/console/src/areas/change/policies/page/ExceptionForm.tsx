import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { errorBeside, faultAt, issuesOf } from '../../../../ui/form/faults.ts'
import { AreaField, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { momentOf } from '../../../../ui/text/localMoment.ts'
import { PlacePicker } from '../../../fleet/targets/PlacePicker.tsx'
import { noPlaces } from '../../../fleet/targets/targetDraft.ts'
import { requirementOf } from '../ruleText.ts'

interface Props {
  readonly policy: Policy
  /** The device to exempt. Without it, the form asks for a device or a group. */
  readonly device?: { readonly deviceId: string; readonly hostname: string }
  close(): void
}

const subjects = ['groupIds', 'deviceIds'] as const
const fields = ['deviceId', 'groupId', 'ruleKey', 'reason', 'expiresAt']

/** Exempts a device or a group from a policy or one of its rules. */
export function ExceptionForm({ policy, device, close }: Props) {
  const [named, setNamed] = useState({ ...noPlaces, deviceIds: device ? [device.deviceId] : [] })
  const [ruleKey, setRuleKey] = useState('')
  const [reason, setReason] = useState('')
  const [expires, setExpires] = useState('')
  const [deviceId = null] = named.deviceIds
  const [groupId = null] = named.groupIds
  const chosen = named.deviceIds.length + named.groupIds.length
  const save = useApiMutation(
    () =>
      api.policies.exceptions.create.mutate({
        ...{ id: policy.id, deviceId, groupId, ruleKey: ruleKey || null, reason: reason.trim() },
        expiresAt: expires === '' ? null : momentOf(expires),
      }),
    {
      refresh: ['policies'],
      done() {
        toast('Exception added')
        close()
      },
    },
  )
  const issues = issuesOf(save.error)
  const fault =
    (chosen === 0 && 'Select a device or a group') ||
    (chosen > 1 && 'Select one device or one group') ||
    (reason.trim() === '' && 'Enter a reason') ||
    (expires !== '' && momentOf(expires) === null && 'Complete the time')
  return (
    <SideForm
      open
      close={close}
      title={device ? `Exempt ${device.hostname}` : 'Add exception'}
      description={`From ${policy.name}, or one of its rules.`}
      verb="Add exception"
      busy={save.isPending}
      blocked={fault}
      error={errorBeside(save.error, issues, fields)}
      submit={() => save.mutate(undefined)}
    >
      {device === undefined && (
        <PlacePicker
          label="Device or group"
          error={faultAt(issues, 'deviceId', 'groupId')}
          none="Nothing selected"
          placeholder="Add a group or device"
          kinds={subjects}
          orgId={policy.orgId}
          named={named}
          change={(next) => setNamed({ ...noPlaces, groupIds: [...next.groupIds], deviceIds: [...next.deviceIds] })}
        />
      )}
      <SelectField
        label="Rule"
        error={faultAt(issues, 'ruleKey')}
        value={ruleKey}
        onChange={({ target }) => setRuleKey(target.value)}
      >
        <option value="">All rules</option>
        {policy.rules.map((rule) => (
          <option key={rule.key} value={rule.key}>
            {`${rule.key}: ${requirementOf(rule)}`}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="Reason"
        hint="Visible to others"
        error={faultAt(issues, 'reason')}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <TextField
        label="Expires"
        optional
        hint="In your time zone. Empty for no end."
        type="datetime-local"
        error={faultAt(issues, 'expiresAt')}
        value={expires}
        onChange={({ target }) => setExpires(target.value)}
      />
    </SideForm>
  )
}
