import { z } from 'zod'
import { eventType } from '../../../platform/events/event-type.contract.ts'

/** Each minute while Muster evaluates rules and stores alerts. A receiver that misses it knows that Muster fails. */
export const systemAlive = eventType('system.alive', 'partner', {
  /** How long the evaluation and the storing took. */
  durationMs: z.number(),
})
