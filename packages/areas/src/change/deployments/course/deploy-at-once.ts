import type { Permission } from '@muster/kit/vocabulary.ts'
import type { ApprovalSummary } from '../../../control/commands/approvals/approval-summary.contract.ts'
import type { Call } from '../../../operation.ts'
import { drawDevices } from '../batches/draw-devices.ts'
import { createDeployment, type NewDeployment } from '../create-deployment.ts'
import { rowById } from '../deployments.queries.ts'
import { begin, requirePermitted } from './launch.ts'

interface Deployed {
  readonly id: string
  readonly partnerId: string
  readonly devices: number
  /** Set if it waits for a second person. */
  readonly approval: ApprovalSummary | null
}

/**
 * Creates, initializes and starts a deployment in one request.
 * @param needed beside the permissions of the order
 * @throws FORBIDDEN, VALIDATION_ERROR, as those steps do
 */
export async function deployAtOnce(
  call: Call,
  given: NewDeployment,
  needed: readonly Permission[] = ['automations:write'],
): Promise<Deployed> {
  const { caller } = call
  requirePermitted(caller, needed)
  const { id, partnerId } = await createDeployment(call, given)
  const devices = await drawDevices(call, await rowById(call, id))
  const approval = await begin(call, await rowById(call, id), { step: 'start' })
  return { id, partnerId, devices, approval }
}
