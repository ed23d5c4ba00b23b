// What rules and templates have in common beside their conditions, while it is edited. Numbers are text.
import type { Severity } from '@muster/areas/platform/events/severity.contract.ts'

export interface BehaviorDraft {
  readonly name: string
  readonly severity: Severity
  readonly forSeconds: string
  readonly clearForSeconds: string
  readonly autoResolve: boolean
  readonly reopenSeconds: string
  readonly title: string
  readonly message: string
  readonly channelIds: readonly string[]
  readonly policyId: string | null
  readonly dependsOnRuleIds: readonly string[]
}

interface Behavior {
  readonly name: string
  readonly severity: Severity
  readonly forSeconds: number
  readonly clearForSeconds: number
  readonly autoResolve: boolean
  readonly reopenSeconds: number
  readonly title: string | null
  readonly message: string | null
  readonly channelIds: readonly string[]
  readonly policyId: string | null
  readonly dependsOnRuleIds: readonly string[]
}

export const behaviorDraftOf = (given: Behavior | undefined): BehaviorDraft => ({
  name: given?.name ?? '',
  severity: given?.severity ?? 'high',
  forSeconds: String(given?.forSeconds ?? 0),
  clearForSeconds: String(given?.clearForSeconds ?? 0),
  autoResolve: given?.autoResolve ?? true,
  reopenSeconds: String(given?.reopenSeconds ?? 300),
  title: given?.title ?? '',
  message: given?.message ?? '',
  channelIds: given?.channelIds ?? [],
  policyId: given?.policyId ?? null,
  dependsOnRuleIds: given?.dependsOnRuleIds ?? [],
})

/** Recipients belong to an owner: another owner has others. */
export const noRecipients = { channelIds: [], policyId: null, dependsOnRuleIds: [] } as const

const textOf = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** As the operations take it. */
export const behaviorOf = ({ name, severity, autoResolve, title, message, ...draft }: BehaviorDraft) => ({
  name: name.trim(),
  severity,
  forSeconds: Number(draft.forSeconds),
  clearForSeconds: Number(draft.clearForSeconds),
  autoResolve,
  reopenSeconds: Number(draft.reopenSeconds),
  title: textOf(title),
  message: textOf(message),
  channelIds: [...draft.channelIds],
  policyId: draft.policyId,
  dependsOnRuleIds: [...draft.dependsOnRuleIds],
})

/** The variables of titles and messages. */
export const variables = [
  ['device.name', 'Name of the device'],
  ['device.hostname', 'Hostname'],
  ['device.tags', 'Tags of the device'],
  ['organization.name', 'Organization'],
  ['site.name', 'Site'],
  ['rule.name', 'Name of the rule'],
  ['severity', 'Severity'],
  ['metric', 'First metric of the conditions'],
  ['value', 'Its value'],
  ['threshold', 'Its threshold'],
  ['summary', 'What an event, a check or a site reported'],
] as const

/** Fields as they are named on screens, where the field itself says less. */
export const fieldWords: Readonly<Record<string, string>> = {
  forSeconds: 'opens after',
  clearForSeconds: 'clears after',
  autoResolve: 'resolves',
  reopenSeconds: 'reopens within',
  title: 'alert title',
  message: 'alert message',
  channelIds: 'channels',
  policyId: 'policy',
  dependsOnRuleIds: 'depends on',
}
