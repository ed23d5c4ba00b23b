// A policy while it is edited. Numbers are text, so that an empty field stays empty.
import type { Policy, PolicyMode } from '@muster/areas/change/device-policies/policies.contract.ts'
import type { Rule, RuleSeverity, RuleType } from '@muster/areas/change/device-policies/rules/rules.contract.ts'
import { draftOf, emptyGroup, filterOf, type Group, newRule as newCondition } from '../../../fleet/filters/draft.ts'
import { type Named, noPlaces } from '../../../fleet/targets/targetDraft.ts'
import { assignmentsOf, namedOf } from './places.ts'
import { kindOf, type Values, valuesOf, wireOf } from './ruleTypes.ts'
import { noSettings, type SettingDraft, settingDraftOf, settingsOfDraft } from './settingDraft.ts'

export interface RuleDraft {
  /** Tells the drafts apart; `ruleKey` is the key of the rule. */
  readonly key: string
  readonly ruleKey: string
  readonly type: RuleType
  readonly severity: RuleSeverity
  readonly message: string
  readonly locked: boolean
  readonly values: Values
  /** Of the type `filter`. */
  readonly filter: Group
  readonly remediation: Rule['remediation']
  /** The stored rule: what the form does not know of it stays. */
  readonly stored: Rule | null
}

export interface PolicyDraft {
  readonly name: string
  readonly description: string
  readonly mode: PolicyMode
  readonly priority: string
  readonly maxRemediationsPerHour: string
  /** Assigned to all devices of the partner. */
  readonly everywhere: boolean
  readonly places: Named
  readonly exclude: Named
  readonly osTypes: Policy['osTypes']
  /** Null without a filter. */
  readonly filter: Group | null
  readonly settings: SettingDraft
  readonly rules: readonly RuleDraft[]
}

let made = 0
const newKey = () => `rule-${++made}`
export const oneCondition = (): Group => ({ ...emptyGroup(), parts: [newCondition()] })

export const newRuleDraft = (rules: readonly RuleDraft[]): RuleDraft => ({
  ...{ key: newKey(), ruleKey: `rule-${rules.length + 1}`, type: 'software.required', severity: 'medium' },
  ...{ message: '', locked: false, values: {}, filter: oneCondition(), remediation: null, stored: null },
})

export function ruleDraftOf(rule: Rule): RuleDraft {
  const { key: ruleKey, type, severity, message, locked, remediation } = rule
  const kind = kindOf(type)
  return {
    ...{ key: newKey(), ruleKey, type, severity, locked, remediation, message: message ?? '', stored: rule },
    values: kind === undefined ? {} : valuesOf(kind, rule),
    filter: rule.type === 'filter' ? draftOf(rule.filter) : oneCondition(),
  }
}

/** What a draft says in a request. The schema of the operation judges it. */
export function ruleOf(draft: RuleDraft): object {
  const { ruleKey, type, severity, message, locked, values, filter, remediation, stored } = draft
  const about = { key: ruleKey.trim(), severity, locked, remediation, message: message.trim() || null }
  const kind = kindOf(type)
  if (kind === undefined) return { ...stored, ...about }
  const fields = type === 'filter' ? { filter: filterOf(filter) } : wireOf(kind, values)
  return { ...about, type, ...fields }
}

export const emptyPolicy: PolicyDraft = {
  ...{ name: '', description: '', mode: 'monitor', priority: '100', everywhere: false },
  maxRemediationsPerHour: '100',
  ...{ places: noPlaces, exclude: noPlaces, osTypes: [], filter: null },
  ...{ settings: noSettings, rules: [newRuleDraft([])] },
}

export const policyDraftOf = (policy: Policy): PolicyDraft => ({
  name: policy.name,
  description: policy.description ?? '',
  mode: policy.mode,
  priority: String(policy.priority),
  maxRemediationsPerHour: String(policy.maxRemediationsPerHour),
  everywhere: policy.assignments.some(({ level }) => level === 'partner'),
  places: namedOf(policy.assignments),
  exclude: namedOf(policy.exclude),
  osTypes: policy.osTypes,
  filter: policy.filter === null ? null : draftOf(policy.filter),
  settings: settingDraftOf(policy),
  rules: policy.rules.map(ruleDraftOf),
})

/** The draft for another owner, to whom other places belong. */
export const forOtherOwner: Pick<PolicyDraft, 'everywhere' | 'places' | 'exclude'> = {
  everywhere: false,
  places: noPlaces,
  exclude: noPlaces,
}

/** What a draft says in a request. @param partnerId of the owner */
export const policyOf = (draft: PolicyDraft, partnerId: string) => ({
  name: draft.name,
  description: draft.description.trim() || null,
  mode: draft.mode,
  priority: draft.priority.trim() === '' ? undefined : Number(draft.priority),
  maxRemediationsPerHour: Number(draft.maxRemediationsPerHour),
  assignments: [
    ...(draft.everywhere ? [{ level: 'partner' as const, id: partnerId }] : []),
    ...assignmentsOf(draft.places),
  ],
  exclude: assignmentsOf(draft.exclude),
  osTypes: draft.osTypes,
  filter: draft.filter === null ? null : filterOf(draft.filter),
  settings: settingsOfDraft(draft.settings),
  rules: draft.rules.map(ruleOf),
})
