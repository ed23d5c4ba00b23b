import { asSystem, type Db } from '@muster/db/database.ts'
import { conflict, denied } from '@muster/kit/errors.ts'
import type { Call } from '../../../operation.ts'
import type { StoredApproval } from '../approvals/approval.queries.ts'
import { decide } from '../approvals/approval-requests.ts'
import { askedPlan, kindOf, permissionsFor, placesOf } from './asked-plan.ts'
import { noteReach } from './judge-plan.ts'
import { ownerMay, reachesAll } from './owner.ts'

/** Starts a plan that a second person approves. @throws CONFLICT if it changed since, FORBIDDEN if its devices are out of reach */
export async function approvePlan(call: Call, approval: StoredApproval): Promise<void> {
  const { caller, db, services } = call
  if (!(await reachesAll(db, caller, placesOf(approval)))) throw denied('Some of its devices are out of your reach')
  const kind = kindOf(services, approval.type)
  const plan = askedPlan(approval)
  const revision = await kind.revisionOf(db, plan.subject.id)
  if (revision !== plan.subject.revision) throw conflict('The plan changed after its approval was asked for')
  await requireRequester(call, approval)
  await decide(db, approval, { status: 'approved', decidedBy: caller.userId })
  await kind.approve(call, plan)
  await noteReach(call, approval.requestedBy, plan.subject.id, approval.devices)
}

/** @throws CONFLICT if the requester is gone, lost a permission, or no longer reaches the devices */
export async function requireRequester({ services }: Pick<Call, 'services'>, approval: StoredApproval): Promise<void> {
  const { requestedBy: userId, requestedAs: place, subject } = approval
  // Sending a command as such takes the permission for commands too.
  const further = subject === null ? (['devices:execute'] as const) : []
  const needed = [...permissionsFor(services, approval), ...further]
  const judge = (db: Db) => ownerMay(db, { userId, place }, needed, placesOf(approval))
  if ((await asSystem(services.system, judge)) === 'permitted') return
  throw conflict(`The requester no longer has permission for this ${approval.plan === null ? 'command' : 'plan'}`)
}
