// A policy while it is edited. Numbers are text, so that an empty field stays empty.
import type { AlertPolicy, GroupKey, Match, Step } from '@muster/areas/watch/policies/policies.contract.ts'

export interface StepDraft {
  readonly key: string
  readonly afterMinutes: string
  readonly channelIds: readonly string[]
  readonly userIds: readonly string[]
  readonly roleIds: readonly string[]
}
export interface PolicyDraft {
  readonly name: string
  readonly enabled: boolean
  readonly match: Match
  readonly groupBy: readonly GroupKey[]
  readonly groupWaitSeconds: string
  readonly groupIntervalSeconds: string
  readonly repeatIntervalSeconds: string
  readonly steps: readonly StepDraft[]
  readonly loops: string
  readonly continue: boolean
}

let made = 0
const stepDraftOf = ({ afterMinutes, ...recipients }: Step): StepDraft => ({
  ...recipients,
  key: `step-${++made}`,
  afterMinutes: String(afterMinutes),
})
/** A step after the others. */
export const newStep = (steps: readonly StepDraft[]): StepDraft => {
  const last = steps.at(-1)
  const afterMinutes = last === undefined ? 0 : Number(last.afterMinutes) + 15
  return stepDraftOf({ afterMinutes, channelIds: [], userIds: [], roleIds: [] })
}

export const policyDraftOf = (policy: AlertPolicy | undefined): PolicyDraft => ({
  name: policy?.name ?? '',
  enabled: policy?.enabled ?? true,
  match: policy?.match ?? {},
  groupBy: policy?.groupBy ?? ['organization', 'rule'],
  groupWaitSeconds: String(policy?.groupWaitSeconds ?? 30),
  groupIntervalSeconds: String(policy?.groupIntervalSeconds ?? 300),
  repeatIntervalSeconds: String(policy?.repeatIntervalSeconds ?? 14_400),
  steps: policy ? policy.steps.map(stepDraftOf) : [newStep([])],
  loops: String(policy?.loops ?? 0),
  continue: policy?.continue ?? false,
})

/** The draft for another owner, to whom other recipients, rules and places belong. */
export const forOtherOwner = ({ match, steps }: PolicyDraft): Pick<PolicyDraft, 'match' | 'steps'> => ({
  match: { ...match, orgIds: undefined, siteIds: undefined, groupIds: undefined, ruleIds: undefined },
  steps: steps.map((step) => ({ ...step, channelIds: [], userIds: [], roleIds: [] })),
})

/** What is sent. The server rejects numbers that it does not accept. */
export const policyOf = (draft: PolicyDraft) => ({
  name: draft.name,
  enabled: draft.enabled,
  match: draft.match,
  groupBy: [...draft.groupBy],
  groupWaitSeconds: Number(draft.groupWaitSeconds),
  groupIntervalSeconds: Number(draft.groupIntervalSeconds),
  repeatIntervalSeconds: Number(draft.repeatIntervalSeconds),
  steps: draft.steps.map(({ afterMinutes, channelIds, userIds, roleIds }) => ({
    afterMinutes: Number(afterMinutes),
    channelIds: [...channelIds],
    userIds: [...userIds],
    roleIds: [...roleIds],
  })),
  loops: Number(draft.loops),
  continue: draft.continue,
})

/** Why a draft cannot be saved; undefined when it can. */
export function faultOfPolicy({ name, steps }: PolicyDraft): string | undefined {
  if (name.trim() === '') return 'Enter a name'
  const empty = steps.findIndex(
    ({ channelIds, userIds, roleIds }) => channelIds.length + userIds.length + roleIds.length === 0,
  )
  return empty < 0 ? undefined : `Select recipients of step ${empty + 1}`
}
