import { randomUUID } from 'node:crypto'
import { invalid } from '@muster/kit/errors.ts'
import type { z } from 'zod'
import type { DeploymentOrder } from '../../background/deployment-order.contract.ts'
import { type Owner, saveTargets } from '../../fleet/targets/index.ts'
import type { Places, Targets } from '../../fleet/targets/targets.contract.ts'
import type { Call } from '../../operation.ts'
import { requireOwner, requireWorkingTenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { requireSoundStrategy } from './batches/shown-strategy.ts'
import { type Strategy, type StrategyInput, strategyOf } from './batches/strategy.contract.ts'
import { kindOf } from './deployment-kinds.ts'
import { type Row, rowById } from './deployments.queries.ts'
import { tellChanged } from './live/tell-changed.ts'

export interface NewDeployment {
  readonly orgId: string | null
  readonly partnerId?: string | undefined
  readonly name: string
  readonly description: string | null
  readonly order: z.infer<typeof DeploymentOrder>
  readonly targets: Targets
  readonly exclude: Places
  readonly strategy: StrategyInput
  readonly startAt: string | null
  readonly deadlineAt: string | null
}

/** @throws VALIDATION_ERROR */
export function requireSoundTimes(
  { startAt, deadlineAt }: { readonly startAt: string | null; readonly deadlineAt: string | null },
  nowMs: number,
): void {
  if (deadlineAt === null) return
  if (Date.parse(deadlineAt) <= nowMs) throw invalid('deadlineAt: must be in the future')
  if (startAt !== null && Date.parse(deadlineAt) <= Date.parse(startAt))
    throw invalid('deadlineAt: must be after startAt')
}

/** @throws what the order is refused for, or the strategy for this order */
export async function requireSoundOrder(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  owner: Owner,
  order: unknown,
  strategy: Strategy,
): Promise<void> {
  const kind = kindOf(services.deploymentKinds, order)
  await kind.prepare({ db, caller, owner }, order)
  if (kind.by === 'offers') kind.requireRings({ ...strategy, batches: [] })
}

/** Makes a draft. @throws VALIDATION_ERROR naming the field, FORBIDDEN */
export async function createDeployment(call: Call, given: NewDeployment): Promise<Row> {
  const { caller, db, services } = call
  const tenant = await tenantOf(db, caller, given)
  requireOwner(caller, tenant, 'deployment')
  await requireWorkingTenant(db, caller, tenant)
  const owner = { partnerId: tenant.partnerId, orgId: tenant.orgId }
  const { name, description, order, targets, exclude, startAt, deadlineAt } = given
  requireSoundTimes(given, services.clock.now())
  const strategy = strategyOf(given.strategy)
  await requireSoundStrategy(db, caller, owner, strategy)
  await requireSoundOrder(call, owner, order, strategy)
  const targetSetId = await saveTargets(call, owner, { targets, exclude })
  const id = randomUUID()
  await db
    .insertInto('deployments')
    .values({
      ...{ id, ...owner, name, description, targetSetId, startAt, deadlineAt, createdBy: caller.userId },
      ordered: JSON.stringify(order),
      strategy: JSON.stringify(strategy),
    })
    .execute()
  const row = await rowById(call, id)
  tellChanged(call, row)
  return row
}
