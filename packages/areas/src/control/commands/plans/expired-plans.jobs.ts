// Ends requests for plans that were not decided in time, so that their objects do not wait for ever.
import { type Db, handleOn } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { sql } from 'kysely'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { recordAsSystem } from '../../../platform/audit/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { askedColumns } from './asked-plan.ts'
import { refusePlan } from './refused-plans.ts'

const plansAtOnce = 100

/** @returns how many */
export async function endExpiredPlans(parts: WorkerParts): Promise<number> {
  const { pool, log } = parts
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM command_approvals
    WHERE status = 'pending' AND plan IS NOT NULL AND expires_at <= now() ORDER BY expires_at LIMIT ${plansAtOnce}`)
  for (const { id } of rows) {
    try {
      await parts.publish(await inTransaction(pool, (client) => endOne(handleOn(client), parts, id)))
    } catch (error) {
      // The others end; this one is tried again.
      log.error({ err: error, approval: id }, 'A request for a plan could not be ended')
    }
  }
  return rows.length
}

async function endOne(db: Db, parts: WorkerParts, id: string): Promise<readonly PartnerEvent[]> {
  const ended = await db
    .updateTable('commandApprovals')
    .set({ status: 'expired', decidedAt: sql`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning([...askedColumns, 'orgId', 'partnerId'])
    .executeTakeFirst()
  // Another process decided it meanwhile.
  if (ended === undefined) return []
  const { type, subject, requestedBy, orgId, partnerId } = ended
  const details = { type, subject, requestedBy }
  await recordAsSystem(db, { action: 'device.command.expire', target: id, orgId, partnerId, details })
  return refusePlan(db, parts, ended, 'expired', null)
}

export const expiredPlans = every(5_000, 'expired-plans', endExpiredPlans)
