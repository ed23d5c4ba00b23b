// Lasting work that a second person may have to approve before it starts, declared by the area that it belongs to.
import type { Services } from '../services.ts'
import type { PlanKindOf } from './asked-plan.ts'

export type PlanKind = PlanKindOf<Services>

export const planKind = (declared: PlanKind): PlanKind => declared
