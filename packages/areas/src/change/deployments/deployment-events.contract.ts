// The events about deployments: kept ones for followers, live ones for screens.
import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

const fields = { deploymentId: id(), name: z.string(), reason: z.string().nullable() }

export const deploymentHalted = eventType('deployment.halted', 'partner', {
  ...fields,
  failed: z.number(),
  issued: z.number(),
})
export const deploymentCompleted = eventType('deployment.completed', 'partner', {
  ...fields,
  succeeded: z.number(),
  failed: z.number(),
})
