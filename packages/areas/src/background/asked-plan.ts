// Plans that wait for an approval, for any services, because the services themselves name their kinds.
import type { Db } from '@muster/db/database.ts'
import type { Call } from '@muster/kit/call.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { OriginKind } from '../control/commands/plans/origin.contract.ts'
import type { PlanOwner } from '../control/commands/plans/owner.contract.ts'
import type { PlanContent, PlanSubject } from '../control/commands/plans/plan.contract.ts'
import type { PartnerEvent } from '../platform/live-events/publish.ts'

/** A plan as it was when its approval was asked for. */
export interface AskedPlan {
  readonly approvalId: string
  readonly subject: PlanSubject
  readonly content: PlanContent
  /** The requester. */
  readonly owner: PlanOwner
}

export interface PlanKindOf<Services> {
  readonly kind: OriginKind
  /** Needed to ask for it and to approve it, beside those of the commands. */
  readonly permission: Permission
  /** Locks the object and reads its revision; null if it no longer waits for an approval. */
  revisionOf(db: Db, id: string): Promise<number | null>
  /** Starts the work, in the transaction of the approval, with the rights of the person who approves. */
  approve(call: Call<unknown, Db, Services>, plan: AskedPlan): Promise<void>
  /**
   * Takes the object back to where it was before, in the request that refuses or withdraws, or in a worker.
   * @returns events to publish after the commit
   */
  refuse(
    db: Db,
    plan: AskedPlan,
    why: 'refused' | 'withdrawn' | 'expired',
    reason: string | null,
  ): Promise<readonly PartnerEvent[]>
}
