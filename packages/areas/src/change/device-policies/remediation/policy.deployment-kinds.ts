// The remediation of a policy as the order of a deployment.
import { AppError, invalid } from '@muster/kit/errors.ts'
import { z } from 'zod'
import { deploymentKind } from '../../../background/deployment-kind.ts'
import type { LeftDevice } from '../../../background/ordering.ts'
import { policyById } from '../policies.queries.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { kindOfWork, workOf } from './orders.ts'
import { PolicyOrder } from './policy-order.contract.ts'
import { violatorsOf } from './violations.queries.ts'

/** Whose violations the work repairs. It stands beside what the script of the work says of itself. */
const Repaired = z.looseObject({ policyId: z.uuid(), ruleKey: z.string() })

/** The rule that the order is about. @throws VALIDATION_ERROR */
function ruleOf(rules: readonly Rule[], ruleKey: string | undefined): Rule {
  const able = rules.filter(({ remediation }) => remediation !== null)
  const [first] = able
  if (first === undefined) throw invalid('order.policyId: no rule of the policy has a remediation')
  if (ruleKey === undefined && able.length === 1) return first
  const named = able.find(({ key }) => key === ruleKey)
  if (named !== undefined) return named
  throw invalid(`order.ruleKey: must be one of ${able.map(({ key }) => key).join(', ')}`)
}

export const policyDeployments = deploymentKind({
  kind: 'policy',
  order: PolicyOrder,

  permissions: () => ['settings:write'],

  async prepare(by, { policyId, ruleKey }) {
    const policy = await policyById(by, policyId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') throw invalid('order.policyId: does not exist')
      throw error
    })
    const { key, remediation } = ruleOf(policy.rules, ruleKey)
    if (remediation === null) throw invalid('order.ruleKey: the rule has no remediation')
    const work = await workOf(by, remediation, 'order')
    const subject = work.subject ?? { kind: 'policy' as const, id: policyId }
    return { ...work, subject: { ...subject, policyId, ruleKey: key } }
  },

  async forDevices(db, work, devices) {
    const violating = await violatorsOf(
      db,
      Repaired.parse(work.subject),
      devices.map(({ id }) => id),
    )
    const { left, ...rest } = await kindOfWork(work).forDevices(
      db,
      work,
      devices.filter(({ id }) => violating.has(id)),
    )
    const kept = devices.flatMap(({ id }): LeftDevice[] =>
      violating.has(id) ? [] : [{ deviceId: id, status: 'skipped', reason: 'compliant', error: null }],
    )
    return { ...rest, left: [...left, ...kept] }
  },

  outcomesOf: (db, work, ended) => kindOfWork(work).outcomesOf(db, work, ended),
})
