import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { QueuedCommand } from '../commands.contract.ts'
import { OriginKind } from './origin.contract.ts'

/** The object that a plan is of. Its revision grows with each change, so that only what was shown is approved. */
export const PlanSubject = z.object({ kind: OriginKind, id: id(), name: z.string(), revision: z.int() })
export type PlanSubject = z.infer<typeof PlanSubject>

/** What the second person is shown. */
export const PlanContent = z.record(z.string(), z.json())
export type PlanContent = z.infer<typeof PlanContent>

/** What a plan may do, as it is stored with its approval. */
export const PlannedReach = z.object({
  /** The commands that it sends. */
  types: z.array(QueuedCommand),
  devices: z.number(),
  /** Where it finds its devices later, null for all of the partner. Absent if its devices are named. */
  places: z.object({ partnerId: id(), orgIds: z.array(id()).nullable() }).optional(),
})
export type PlannedReach = z.infer<typeof PlannedReach>
