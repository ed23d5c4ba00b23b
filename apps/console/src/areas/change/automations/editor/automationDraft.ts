// An automation while it is edited. Numbers are texts, so that an empty field stays empty.
import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import type { OnFailure } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import { draftOf, type Fields, filterOf, type Group, isSound } from '../../../fleet/filters/draft.ts'
import { type ActionDraft, actionDraftOf, actionOf, newAction } from './actions/actionDraft.ts'
import { newTrigger, type TriggerDraft, triggerDraftOf, triggerOf } from './trigger/triggerDraft.ts'

export interface AutomationDraft {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly trigger: TriggerDraft
  readonly conditions: Group
  readonly actions: readonly ActionDraft[]
  readonly onFailure: OnFailure
  readonly overlap: Automation['overlap']
  readonly maxDevicesPerRun: string
  readonly maxRunsPerHour: string
  readonly cooldownSeconds: string
  readonly respectMaintenance: boolean
}

/** @param timezone of a new schedule */
export const newAutomation = (timezone: string): AutomationDraft => ({
  ...{ name: '', description: '', enabled: true, trigger: newTrigger(timezone), conditions: draftOf(undefined) },
  ...{ actions: [newAction()], onFailure: 'stop', overlap: 'skip', maxDevicesPerRun: '100', maxRunsPerHour: '60' },
  ...{ cooldownSeconds: '0', respectMaintenance: true },
})

export const automationDraftOf = (automation: Automation, timezone: string): AutomationDraft => ({
  ...automation,
  description: automation.description ?? '',
  trigger: triggerDraftOf(automation.trigger, timezone),
  conditions: draftOf(automation.conditions ?? undefined),
  actions: automation.actions.map(actionDraftOf),
  maxDevicesPerRun: String(automation.maxDevicesPerRun),
  maxRunsPerHour: String(automation.maxRunsPerHour),
  cooldownSeconds: String(automation.cooldownSeconds),
})

/** What a draft says in a request. */
export const automationOf = (draft: AutomationDraft) => ({
  name: draft.name.trim(),
  description: draft.description.trim() || null,
  trigger: triggerOf(draft.trigger),
  conditions: filterOf(draft.conditions) ?? null,
  actions: draft.actions.map(actionOf),
  onFailure: draft.onFailure,
  overlap: draft.overlap,
  maxDevicesPerRun: Number(draft.maxDevicesPerRun),
  maxRunsPerHour: Number(draft.maxRunsPerHour),
  cooldownSeconds: Number(draft.cooldownSeconds),
  respectMaintenance: draft.respectMaintenance,
})

type Request = ReturnType<typeof automationOf>

/** Only what differs, because who changes what an automation does becomes its owner. */
export function changesOf(draft: AutomationDraft, before: AutomationDraft): Partial<Request> {
  const then = new Map<string, unknown>(Object.entries(automationOf(before)))
  const changed: Partial<Request> = Object.fromEntries(
    Object.entries(automationOf(draft)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(then.get(name)),
    ),
  )
  return changed
}

/** Why a draft cannot be sent yet; undefined when it can. The server checks the rest. */
export function faultOfAutomation({ name, conditions, actions }: AutomationDraft, fields: Fields): string | undefined {
  if (name.trim() === '') return 'Enter a name'
  if (!isSound(conditions, fields)) return 'Complete the conditions'
  return actions.length === 0 ? 'Add an action' : undefined
}
