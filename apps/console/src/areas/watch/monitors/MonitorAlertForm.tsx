import { Severity } from '@muster/areas/platform/events/severity.contract.ts'
import type { MonitorAlert } from '@muster/areas/watch/monitors/alerts/alerts.contract.ts'
import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { AlertCondition } from '@muster/areas/watch/monitors/words.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useFullList } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { CheckField, Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { SeverityField } from '../alerts/SeverityField.tsx'
import { conditions, thresholdUnit } from './words.tsx'

interface Props {
  readonly monitor: Monitor
  /** The rule to edit. A new one is created without it. */
  readonly rule?: MonitorAlert
  close(): void
}

const draftOf = (rule: MonitorAlert | undefined) => ({
  condition: rule?.condition ?? AlertCondition.enum.offline,
  threshold: rule?.threshold == null ? '' : String(rule.threshold),
  consecutive: String(rule?.consecutive ?? 1),
  severity: rule?.severity ?? Severity.enum.high,
  channelIds: rule?.channelIds ?? [],
  policyId: rule?.policyId ?? null,
  enabled: rule?.enabled ?? true,
})
type Draft = ReturnType<typeof draftOf>

function useSave({ monitor, rule, close }: Props, { condition, threshold, consecutive, ...draft }: Draft) {
  return useApiMutation(
    () => {
      const given = {
        ...draft,
        channelIds: [...draft.channelIds],
        consecutive: Number(consecutive),
        threshold: thresholdUnit[condition] === undefined ? null : Number(threshold),
      }
      return rule
        ? api.monitors.alerts.update.mutate({ id: rule.id, ...given })
        : api.monitors.alerts.create.mutate({ monitorId: monitor.id, condition, ...given })
    },
    {
      refresh: ['monitors.alerts'],
      done() {
        toast('Alert rule saved')
        close()
      },
    },
  )
}

/** When a monitor raises an alert, and who is notified. The condition cannot change later. */
export function MonitorAlertForm(props: Props) {
  const { rule, monitor, close } = props
  const [draft, setDraft] = useState(() => draftOf(rule))
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useSave(props, draft)
  const unit = thresholdUnit[draft.condition]
  return (
    <SideForm
      open
      close={close}
      title={rule ? 'Edit alert rule' : 'New alert rule'}
      verb={rule ? 'Save alert rule' : 'Create alert rule'}
      busy={save.isPending}
      blocked={unit !== undefined && draft.threshold.trim() === '' && 'Enter a threshold'}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <ChoiceField
        label="Condition"
        disabled={rule !== undefined}
        value={draft.condition}
        options={conditions}
        choose={(condition) => set({ condition })}
      />
      {unit && (
        <TextField
          label={`Threshold (${unit})`}
          type="number"
          min={1}
          value={draft.threshold}
          onChange={({ target }) => set({ threshold: target.value })}
        />
      )}
      <TextField
        label="Rounds in a row"
        hint="So many rounds have to agree."
        type="number"
        min={1}
        max={100}
        value={draft.consecutive}
        onChange={({ target }) => set({ consecutive: target.value })}
      />
      <SeverityField value={draft.severity} choose={(severity) => set({ severity })} />
      <Receivers orgId={monitor.orgId} draft={draft} set={set} />
      <CheckField label="Enabled" checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
    </SideForm>
  )
}

interface ReceiversProps {
  readonly orgId: string
  readonly draft: Draft
  set(part: Partial<Draft>): void
}

/** The channels that are notified at once, and the policy beside them. */
function Receivers({ orgId, draft: { channelIds, policyId }, set }: ReceiversProps) {
  const channels = useFullList((client) => client.alertChannels.channels.list, { orgId }).data ?? []
  const policies = useFullList((client) => client.alertPolicies.policies.list, { orgId }).data ?? []
  return (
    <>
      <CheckList
        label="Channels"
        hint="Notified at once, beside the policy."
        choices={channels.map(({ id, name }) => ({ id, label: name }))}
        chosen={channelIds}
        change={(chosen) => set({ channelIds: chosen })}
      />
      <SelectField
        label="Policy"
        optional
        value={policyId ?? ''}
        onChange={({ target }) => set({ policyId: target.value || null })}
      >
        <option value="">Those that match</option>
        <Options of={policies} />
      </SelectField>
    </>
  )
}
