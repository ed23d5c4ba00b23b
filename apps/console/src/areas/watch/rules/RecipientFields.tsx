import { useFullList } from '../../../queries.ts'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { Options, SelectField } from '../../../ui/form/fields.tsx'
import { GroupedCheckList } from '../../../ui/form/GroupedCheckList.tsx'
import type { BehaviorDraft } from './behavior.ts'

interface Props {
  /** The rule that is edited, which cannot depend on itself. */
  readonly ruleId?: string | undefined
  readonly orgId: string | null
  readonly draft: BehaviorDraft
  set(part: Partial<BehaviorDraft>): void
}

/** Who hears of the alerts of a rule or template, and on which rules it depends. */
export function RecipientFields({ ruleId, orgId, draft, set }: Props) {
  const place = orgId === null ? {} : { orgId }
  const channels = useFullList((api) => api.alertChannels.channels.list, place).data ?? []
  const policies = useFullList((api) => api.alertPolicies.policies.list, place).data ?? []
  const rules = useFullList((api) => api.alerts.rules.list, place).data ?? []
  const others = rules.filter(({ id }) => id !== ruleId)
  return (
    <>
      <CheckList
        label="Channels"
        hint="They are notified at once, beside the policy."
        choices={channels.map(({ id, name }) => ({ id, label: name }))}
        chosen={draft.channelIds}
        change={(channelIds) => set({ channelIds })}
      />
      <SelectField
        label="Policy"
        value={draft.policyId ?? ''}
        onChange={({ target }) => set({ policyId: target.value || null })}
      >
        <option value="">The policies that match</option>
        <Options of={policies} />
      </SelectField>
      {others.length > 0 && (
        <GroupedCheckList
          label="Depends on"
          choices={others.map(({ id, name }) => ({ id, group: 'Rules', label: name, hint: '' }))}
          chosen={draft.dependsOnRuleIds}
          change={(dependsOnRuleIds) => set({ dependsOnRuleIds })}
        />
      )}
      <p className="text-muted text-xs">
        While an alert of a rule that this one depends on is open for a device, its own alerts are suppressed.
      </p>
    </>
  )
}
