import { useFullList } from '../../../queries.ts'

interface Recipients {
  readonly channelIds: readonly string[]
  readonly policyId: string | null
  readonly dependsOnRuleIds: readonly string[]
}

/** By names: who hears of the alerts of a rule or template, and on which rules it depends. */
export function useRecipientFacts({ channelIds, policyId, dependsOnRuleIds }: Recipients) {
  const channels = useFullList((api) => api.alertChannels.channels.list, {}, { staleMs: 60_000 }).data ?? []
  const policies = useFullList((api) => api.alertPolicies.policies.list, {}, { staleMs: 60_000 }).data ?? []
  const rules = useFullList((api) => api.alerts.rules.list, {}, { staleMs: 60_000 }).data ?? []
  const named = (ids: readonly string[], of: readonly { id: string; name: string }[]) =>
    of.flatMap(({ id, name }) => (ids.includes(id) ? [name] : [])).join(', ')
  return [
    ['Channels', named(channelIds, channels) || 'None'],
    ['Policy', policyId === null ? 'The policies that match' : policies.find(({ id }) => id === policyId)?.name],
    ['Depends on', named(dependsOnRuleIds, rules) || 'No other rule'],
  ] as const
}
