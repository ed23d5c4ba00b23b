import { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import type { Row } from '../deployments.queries.ts'

/** In whose name devices are sent the order; null before the start. */
export const ownerOfRow = ({ ownerId, ownedAs }: Pick<Row, 'ownerId' | 'ownedAs'>): PlanOwner | null =>
  ownerId === null ? null : PlanOwner.parse({ userId: ownerId, place: ownedAs })
