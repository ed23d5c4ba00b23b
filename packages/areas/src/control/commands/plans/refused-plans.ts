// Plans that no second person approved: their objects go back to where they were.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { PlanKind } from '../../../background/plan-kind.ts'
import type { Call } from '../../../operation.ts'
import { type PartnerEvent, publishEvents } from '../../../platform/live-events/index.ts'
import { type AskedRow, askedColumns, askedPlan, kindOf } from './asked-plan.ts'

/** Takes the object of a request back. @returns events to publish after the commit */
export const refusePlan = (
  db: Db,
  kinds: { readonly planKinds: readonly PlanKind[] },
  row: AskedRow,
  why: Parameters<PlanKind['refuse']>[2],
  reason: string | null,
): Promise<readonly PartnerEvent[]> => kindOf(kinds, row.type).refuse(db, askedPlan(row), why, reason)

/** Withdraws the open requests for a device that changed its organization. */
export async function withdrawApprovals(call: Call, deviceId: string, reason: string): Promise<void> {
  const { caller, db, services, afterCommit } = call
  const withdrawn = await db
    .updateTable('commandApprovals')
    .set({ status: 'withdrawn', decidedBy: caller.userId, decidedAt: sql`now()`, reason })
    .where('status', '=', 'pending')
    .where(sql<boolean>`${deviceId}::uuid = ANY (device_ids)`)
    .returning([...askedColumns, 'plan'])
    .execute()
  for (const row of withdrawn) {
    if (row.plan === null) continue
    const events = await refusePlan(db, services, row, 'withdrawn', reason)
    afterCommit(() => publishEvents(services.redis, events))
  }
}
