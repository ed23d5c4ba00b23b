// The events about commands that followers receive.
import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

export const commandFailed = eventType('command.failed', 'device', {
  hostname: z.string(),
  commandId: id(),
  type: z.string(),
  status: z.enum(['failed', 'timed_out', 'expired']),
  exitCode: z.number().nullable(),
})
