// The kinds of orders that repair violations. What they send is made by the areas that the orders belong to.
import { AppError, invalid } from '@muster/kit/errors.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { CommandedKind, DeploymentWork } from '../../../background/deployment-kind.ts'
import type { Ordering } from '../../../background/ordering.ts'
import { commandDeployments } from '../../deployments/index.ts'
import { scriptDeployments } from '../../scripts/index.ts'
import type { Rule } from '../rules/rules.contract.ts'
import type { RemediationOrder } from './remediation-order.contract.ts'

const kinds: Readonly<Record<RemediationOrder['kind'], CommandedKind>> = {
  script: scriptDeployments,
  command: commandDeployments,
}

/** The kind of an order that became work. */
export const kindOfWork = ({ subject }: DeploymentWork): CommandedKind =>
  subject?.kind === 'script' ? kinds.script : kinds.command

export const permissionsOf = (order: RemediationOrder): readonly Permission[] => kinds[order.kind].permissions(order)

/** The work of a remediation. @param field names the remediation in errors */
export async function workOf(by: Ordering, order: RemediationOrder, field: string): Promise<DeploymentWork> {
  try {
    return await kinds[order.kind].prepare(by, order)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
    throw invalid(`${field}.${error.message.replace(/^order\./, '')}`)
  }
}

/** The remediations of rules, by key of the rule. @throws VALIDATION_ERROR naming the field, FORBIDDEN */
export async function worksOf(by: Ordering, rules: readonly Rule[]): Promise<Map<string, DeploymentWork>> {
  const works = new Map<string, DeploymentWork>()
  for (const [index, { key, remediation }] of rules.entries())
    if (remediation !== null) works.set(key, await workOf(by, remediation, `rules.${index}.remediation`))
  return works
}
