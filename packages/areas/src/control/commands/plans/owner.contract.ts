import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** The scope in which a user acts: enough to find the membership again. */
export const Place = z.object({
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: id().nullable(),
  orgId: id().nullable(),
})
export type Place = z.infer<typeof Place>

/** In whose name work goes on after the request. */
export const PlanOwner = z.object({ userId: id(), place: Place })
export type PlanOwner = z.infer<typeof PlanOwner>
