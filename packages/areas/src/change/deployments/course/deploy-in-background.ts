// Makes and starts a deployment in the background: a person allowed it before, with the plan that makes it.
import { randomUUID } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { z } from 'zod'
import type { DeploymentWork } from '../../../background/deployment-kind.ts'
import type { DeploymentOrder } from '../../../background/deployment-order.contract.ts'
import { handOnGrants } from '../../../control/commands/index.ts'
import type { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import { saveNamedDevices } from '../../../fleet/targets/index.ts'
import { drawAmong } from '../batches/draw-devices.ts'
import { type StrategyInput, strategyOf } from '../batches/strategy.contract.ts'
import type { DeploymentOrigin } from '../deployment-origin.contract.ts'
import { usualDeadlineMs } from './launch.ts'

export interface BackgroundDeployment {
  readonly partnerId: string
  readonly orgId: string | null
  readonly name: string
  readonly order: DeploymentOrder
  readonly strategy: StrategyInput
  /** As it was allowed. */
  readonly work: DeploymentWork
  readonly owner: PlanOwner
  readonly origin: z.infer<typeof DeploymentOrigin>
  readonly deviceIds: readonly string[]
}

/** The engine begins with its next look. @returns the id. @throws BAD_REQUEST if no batch contains one of the devices */
export async function deployInBackground(db: Db, given: BackgroundDeployment): Promise<string> {
  const { partnerId, orgId, name, order, work, owner, origin, deviceIds } = given
  const tenant = { partnerId, orgId }
  const id = randomUUID()
  const row = await db
    .insertInto('deployments')
    .values({
      ...{ id, ...tenant, name, targetSetId: await saveNamedDevices(db, tenant, deviceIds), createdBy: owner.userId },
      ...{ ordered: JSON.stringify(order), strategy: JSON.stringify(strategyOf(given.strategy)) },
      origin: JSON.stringify(origin),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await drawAmong(db, row, deviceIds)
  const deadlineAt = new Date(Date.now() + usualDeadlineMs).toISOString()
  await handOnGrants(db, {
    from: { kind: origin.kind, id: origin.id },
    to: { kind: 'deployment', id },
    work,
    deadlineAt,
  })
  await db
    .updateTable('deployments')
    .set({
      ...{ status: 'running', nextAt: new Date().toISOString(), deadlineAt, work: JSON.stringify(work) },
      ...{ ownerId: owner.userId, ownedAs: JSON.stringify(owner.place) },
    })
    .where('id', '=', id)
    .execute()
  return id
}
