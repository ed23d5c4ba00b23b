// The events about updates of agents that followers receive.
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

export const agentUpdateFailed = eventType('agent.update_failed', 'device', {
  hostname: z.string(),
  version: z.string(),
  state: z.enum(['refused', 'rolled_back']),
  reason: z.string().nullable(),
})
