// Whether a plan may start: the whole plan counts once toward the blast radius of the person, its commands do not.
import { asSystem } from '@muster/db/database.ts'
import { requirePermission } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import type { Call } from '../../../operation.ts'
import { askForPlan, withdrawPlan } from '../approvals/approval-requests.ts'
import type { ApprovalSummary } from '../approvals/approval-summary.contract.ts'
import { allowReach, blastRadius, lately, reachedLately } from '../bulk/blast-radius.ts'
import { commandType } from '../command-registry.ts'
import type { Plan } from './plan.ts'

export type PlanVerdict =
  | { readonly state: 'granted' }
  | { readonly state: 'awaiting_approval'; readonly approval: ApprovalSummary }

/**
 * Allows a plan within the limits, or after a fresh proof, or asks a second person for it. Call it before the first write.
 * An earlier request for the same object is withdrawn.
 * @throws FORBIDDEN without the permission for one of its commands, with `confirm`, or to API keys beyond the limits
 */
export async function judgePlan(call: Call, plan: Plan): Promise<PlanVerdict> {
  const { caller, db } = call
  for (const type of plan.types) requirePermission(caller, commandType(type).permission)
  const { devices, isWide, partnerIds, deviceIds } = countsOf(plan.reach)
  const looksOnly = onlyLooks(plan)
  const later = devices - deviceIds.length
  const reached = async () => later + (await reachedLately(db, caller.userId, deviceIds, plan.subject.id))
  const count = looksOnly ? 0 : isWide ? Infinity : await reached()
  const verdict = await allowReach(call, { db, count, partnerIds })
  await withdrawPlan(call, plan.subject, 'Another request took its place')
  if (verdict === 'second person') {
    const approval = await askForPlan(call, plan)
    const { id: target, orgId, partnerId, hash } = approval
    const details = { type: approval.type, devices: approval.devices, hash, subject: approval.subject }
    call.audit({ action: 'device.command.request', target, name: plan.subject.name, orgId, partnerId, details })
    return { state: 'awaiting_approval', approval }
  }
  if (!looksOnly) await noteReach(call, caller.userId, plan.subject.id, devices)
  return { state: 'granted' }
}

/**
 * Takes a fresh proof for a step within a plan that was granted, if the plan goes beyond the limits. A second person, where
 * one is required, has approved it already.
 * @throws FORBIDDEN as `judgePlan`
 */
export async function proveReach(call: Call, plan: Pick<Plan, Risk | 'reach'>): Promise<void> {
  if (onlyLooks(plan)) return
  const { devices, isWide, partnerIds } = countsOf(plan.reach)
  await allowReach(call, { db: call.db, count: isWide ? Infinity : devices, partnerIds, wantsSecond: false })
}

type Risk = 'types' | 'changesMachines'

const onlyLooks = ({ types, changesMachines }: Pick<Plan, Risk>): boolean =>
  changesMachines !== true && types.every((type) => commandType(type).risk === 'look')

function countsOf(reach: Plan['reach']) {
  if ('targets' in reach) {
    const { targets } = reach
    const isWide = new Set(targets.map(({ orgId }) => orgId)).size > blastRadius.organizations
    const partnerIds = targets.map(({ partnerId }) => partnerId)
    return { devices: targets.length, isWide, partnerIds, deviceIds: targets.map(({ id }) => id) }
  }
  const { devices, partnerId, orgIds } = reach
  const isWide = orgIds === null || new Set(orgIds).size > blastRadius.organizations
  return { devices, isWide, partnerIds: [partnerId], deviceIds: [] }
}

/** Notes how many devices the person reached with a plan. A repeated start of the same plan counts once. */
export async function noteReach(
  { services }: Pick<Call, 'services'>,
  userId: string,
  planId: string,
  devices: number,
): Promise<void> {
  await asSystem(services.system, (db) =>
    sql`WITH forgotten AS (DELETE FROM plan_reach WHERE user_id = ${userId} AND plan_id <> ${planId} AND at <= ${lately})
      INSERT INTO plan_reach (user_id, plan_id, devices) VALUES (${userId}, ${planId}, ${devices})
      ON CONFLICT (user_id, plan_id) DO UPDATE SET at = now(), devices = greatest(plan_reach.devices, excluded.devices)`.execute(
      db,
    ),
  )
}
