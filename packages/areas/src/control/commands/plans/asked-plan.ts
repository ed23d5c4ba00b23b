// Plans that wait for a second person, as their kinds see them.
import { invariant } from '@muster/kit/errors.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { AskedPlan } from '../../../background/asked-plan.ts'
import type { PlanKind } from '../../../background/plan-kind.ts'
import type { StoredApproval } from '../approvals/approval.queries.ts'
import { commandType } from '../command-registry.ts'
import { QueuedCommand } from '../commands.contract.ts'
import { Place } from './owner.contract.ts'
import type { PlanReach } from './owner.ts'
import { PlanContent, PlanSubject } from './plan.contract.ts'

interface Kinds {
  readonly planKinds: readonly PlanKind[]
}

export function kindOf({ planKinds }: Kinds, kind: string): PlanKind {
  const found = planKinds.find((one) => one.kind === kind)
  invariant(found !== undefined, `plans of the kind ${kind} are declared`)
  return found
}

/** The columns of an approval that its kind sees. */
export const askedColumns = ['id', 'type', 'subject', 'payload', 'requestedBy', 'requestedAs'] as const
export interface AskedRow {
  readonly id: string
  readonly type: string
  readonly subject: unknown
  readonly payload: unknown
  readonly requestedBy: string
  readonly requestedAs: unknown
}

/** The plan of an approval. */
export const askedPlan = ({ id, subject, payload, requestedBy, requestedAs }: AskedRow): AskedPlan => ({
  approvalId: id,
  subject: PlanSubject.parse(subject),
  content: PlanContent.parse(payload),
  owner: { userId: requestedBy, place: Place.parse(requestedAs) },
})

/** What a person needs to ask for it and to approve it. */
export function permissionsFor(kinds: Kinds, { type, plan }: Pick<StoredApproval, 'type' | 'plan'>): Permission[] {
  if (plan === null) return [commandType(QueuedCommand.parse(type)).permission]
  return [kindOf(kinds, type).permission, ...plan.types.map((one) => commandType(one).permission)]
}

/** Where it acts. */
export const placesOf = ({ plan, deviceIds }: Pick<StoredApproval, 'plan' | 'deviceIds'>): PlanReach =>
  plan?.places ?? { deviceIds }
