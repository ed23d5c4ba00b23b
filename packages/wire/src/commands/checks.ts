// One round of a check, answered at once.
import { z } from 'zod'
import { AssignedCheck } from '../messages/assignment.ts'
import { Observation } from '../messages/observations.ts'

export const RunCheck = z.object({ assigned: AssignedCheck })
export const CheckFinding = Observation.pick({
  state: true,
  value: true,
  text: true,
  certificateExpiresAt: true,
}).extend({ ms: z.number().min(0).optional() })
