import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Lasting work that sends commands by itself. */
export const OriginKind = z.enum(['deployment', 'automation', 'policy'])
export type OriginKind = z.infer<typeof OriginKind>

/** Where a command belongs in the plan that sent it. A device gets one command per origin. */
export const Origin = z.object({
  kind: OriginKind,
  /** Of the plan. */
  id: id(),
  /** Of a run of the plan, if it runs repeatedly. */
  run: id().optional(),
  step: z.int().min(0),
  attempt: z.int().min(0),
  /** The run of an automation that led to it, and the automations one after another that did. What follows names them too. */
  cause: z.object({ runId: id(), chain: z.array(id()) }).optional(),
})
export type Origin = z.infer<typeof Origin>
