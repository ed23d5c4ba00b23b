// What an enforcing policy may do by itself: judged and signed when a person activates or edits it.
import type { Db } from '@muster/db/database.ts'
import { hasPermission } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import { z } from 'zod'
import { DeploymentWork } from '../../../background/deployment-kind.ts'
import type { ApprovalSummary } from '../../../control/commands/approvals/approval-summary.contract.ts'
import { dropGrants, judgePlan, planGrantMs, signPlan, withdrawPlan } from '../../../control/commands/index.ts'
import type { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import { PlanContent } from '../../../control/commands/plans/plan.contract.ts'
import type { Call } from '../../../operation.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { permissionsOf, worksOf } from './orders.ts'

export const Works = z.record(z.string(), DeploymentWork)
export type Works = z.infer<typeof Works>

/** What a second person is shown. */
export const EnforcementContent = z.object({ works: Works, maxRemediationsPerHour: z.number() })

interface Enforcing {
  readonly id: string
  readonly name: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly maxRemediationsPerHour: number
  readonly rules: readonly Rule[]
}

interface Judged {
  readonly works: Works
  /** Null if it may start at once. */
  readonly approval: ApprovalSummary | null
}

/**
 * Allows what the policy would do, or asks a second person for it. Call it before the first write.
 * @param revision of the policy after the request
 * @throws FORBIDDEN without a permission that the remediations need or with `confirm`, VALIDATION_ERROR
 */
export async function judgeEnforcement(call: Call, policy: Enforcing, revision: number): Promise<Judged> {
  const { caller, db } = call
  const { id, name, partnerId, orgId, maxRemediationsPerHour, rules } = policy
  const needed = rules.flatMap(({ remediation }) => (remediation === null ? [] : permissionsOf(remediation)))
  const missing = needed.find((permission) => !hasPermission(caller, permission))
  if (missing !== undefined) throw denied(`Permission denied: ${missing} is required to enforce these rules`)
  const works = Object.fromEntries(await worksOf({ db, caller, owner: { partnerId, orgId } }, rules))
  if (Object.keys(works).length === 0) return { works, approval: null }
  const verdict = await judgePlan(call, {
    subject: { kind: 'policy', id, name, revision },
    types: [...new Set(Object.values(works).map(({ type }) => type))],
    reach: { devices: maxRemediationsPerHour, partnerId, orgIds: orgId === null ? null : [orgId] },
    content: PlanContent.parse({ works, maxRemediationsPerHour }),
  })
  return { works, approval: verdict.state === 'granted' ? null : verdict.approval }
}

/** Lets the policy repair from now on, in the name of the owner. */
export async function startEnforcement(
  call: Pick<Call, 'db' | 'services'>,
  { id, partnerId, orgId }: Pick<Enforcing, 'id' | 'partnerId' | 'orgId'>,
  works: Works,
  owner: PlanOwner,
): Promise<void> {
  const { db, services } = call
  await signPlan(call, {
    origin: { kind: 'policy', id },
    owner: { partnerId, orgId },
    by: owner.userId,
    work: Object.values(works).filter(({ type }) => type === 'run_script'),
    scope: { orgIds: orgId === null ? null : [orgId] },
    expiresAtMs: services.clock.now() + planGrantMs,
  })
  await db.deleteFrom('devicePolicyEnforcements').where('policyId', '=', id).execute()
  await db
    .insertInto('devicePolicyEnforcements')
    .values({
      ...{ policyId: id, partnerId, orgId, ownerId: owner.userId },
      ownedAs: JSON.stringify(owner.place),
      works: JSON.stringify(works),
    })
    .execute()
}

/** The policy repairs nothing more. What it has sent goes on. */
export async function endEnforcement(call: Call, id: string, reason: string): Promise<void> {
  await withdrawPlan(call, { kind: 'policy', id }, reason)
  await stopEnforcement(call.db, id)
}

export async function stopEnforcement(db: Db, id: string): Promise<void> {
  await dropGrants(db, { kind: 'policy', id })
  await db.deleteFrom('devicePolicyEnforcements').where('policyId', '=', id).execute()
}
