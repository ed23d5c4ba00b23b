// A rule while it is edited, and what a request says of it: only what differs, so that a rule follows its template in the rest.
import type { Conditions } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'
import { ConditionsInput } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'
import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { fillConditions, type ParameterValue } from '@muster/areas/watch/alerts/templates/parameters.contract.ts'
import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { type TargetDraft, targetDraftOf, targetsOf } from '../../fleet/targets/targetDraft.ts'
import { type ConditionDraft, conditionDraftOf, conditionsOf, newConditions } from '../conditions/conditionDraft.ts'
import { parameterValue } from '../templates/templateDraft.ts'
import { type BehaviorDraft, behaviorDraftOf, behaviorOf } from './behavior.ts'

export interface RuleDraft extends BehaviorDraft {
  readonly enabled: boolean
  readonly targets: TargetDraft
  /** Null while the conditions follow the template. */
  readonly conditions: ConditionDraft | null
  readonly parameters: Readonly<Record<string, string>>
}
export interface Origin {
  readonly rule: AlertRule | undefined
  readonly template: AlertTemplate | undefined
}

export function ruleDraftOf({ rule, template }: Origin): RuleDraft {
  const isOwn = template === undefined || rule?.overrides.includes('conditions') === true
  const stored = rule ? conditionDraftOf(rule.conditions) : newConditions()
  const given = (template?.parameters ?? []).map((each) => [
    each.name,
    String(rule?.parameters[each.name] ?? each.default),
  ])
  return {
    ...behaviorDraftOf(rule ?? template),
    enabled: rule?.enabled ?? true,
    targets: targetDraftOf(rule ?? { targets: {}, exclude: {} }),
    conditions: isOwn ? stored : null,
    parameters: Object.fromEntries(given),
  }
}

/** The values of the parameters, by name. */
export function parametersOf({ parameters }: RuleDraft, template: AlertTemplate | undefined) {
  const typed = (template?.parameters ?? []).map(({ name, type }): [string, ParameterValue] => [
    name,
    parameterValue(type, parameters[name] ?? ''),
  ])
  return new Map(typed)
}

/** The conditions as they would be stored. They may be invalid. */
export const conditionsIn = (draft: RuleDraft, { rule, template }: Origin): unknown =>
  draft.conditions !== null
    ? conditionsOf(draft.conditions)
    : template === undefined
      ? rule?.conditions
      : fillConditions(template.conditions, parametersOf(draft, template))

const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)

/** What of the behavior is sent: all for a rule of its own, else what was changed. */
function changedBehavior(draft: RuleDraft, before: RuleDraft, isNew: boolean) {
  const [now, then] = [behaviorOf(draft), behaviorOf(before)]
  const isSent = (name: keyof typeof now) => isNew || differs(now[name], then[name])
  return {
    ...(isSent('name') && { name: now.name }),
    ...(isSent('severity') && { severity: now.severity }),
    ...(isSent('forSeconds') && { forSeconds: now.forSeconds }),
    ...(isSent('clearForSeconds') && { clearForSeconds: now.clearForSeconds }),
    ...(isSent('autoResolve') && { autoResolve: now.autoResolve }),
    ...(isSent('reopenSeconds') && { reopenSeconds: now.reopenSeconds }),
    ...(isSent('title') && { title: now.title }),
    ...(isSent('message') && { message: now.message }),
    ...(isSent('channelIds') && { channelIds: now.channelIds }),
    ...(isSent('policyId') && { policyId: now.policyId }),
    ...(isSent('dependsOnRuleIds') && { dependsOnRuleIds: now.dependsOnRuleIds }),
  }
}

/** What a request to create or update the rule says. */
export function requestOf(draft: RuleDraft, origin: Origin) {
  const { rule, template } = origin
  const before = ruleDraftOf(origin)
  const conditions = draft.conditions === null ? undefined : parsedConditions(conditionsOf(draft.conditions))
  const isSame = rule !== undefined && !differs(conditions, before.conditions && conditionsOf(before.conditions))
  const parameters = Object.fromEntries(parametersOf(draft, template))
  const targetsNow = targetsOf(draft.targets)
  return {
    ...changedBehavior(draft, before, rule === undefined && template === undefined),
    enabled: draft.enabled,
    ...((rule === undefined || differs(targetsNow, targetsOf(before.targets))) && targetsNow),
    ...(conditions !== undefined && !isSame && { conditions }),
    ...(template && (rule === undefined || differs(draft.parameters, before.parameters)) && { parameters }),
  }
}

/** What a backtest of the draft asks. */
export function previewOf(draft: RuleDraft, origin: Origin) {
  const { forSeconds, clearForSeconds, reopenSeconds } = behaviorOf(draft)
  const conditions = parsedConditions(conditionsIn(draft, origin))
  return { ...targetsOf(draft.targets), conditions, forSeconds, clearForSeconds, reopenSeconds }
}

/** The conditions as operations take them; undefined while they are invalid. */
const parsedConditions = (conditions: unknown): Conditions | undefined => ConditionsInput.safeParse(conditions).data
