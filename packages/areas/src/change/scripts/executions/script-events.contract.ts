import { z } from 'zod'
import { eventType } from '../../../platform/events/event-type.contract.ts'

/** The run of a kept script took place and ended. */
export const scriptEnded = eventType('script.ended', 'device', {
  hostname: z.string(),
  scriptId: z.string(),
  scriptName: z.string(),
  executionId: z.string(),
  commandId: z.string(),
  status: z.string(),
  severity: z.string(),
  exitCode: z.number().nullable(),
})
