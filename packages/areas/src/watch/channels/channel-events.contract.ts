import { id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventType } from '../../platform/events/event-type.contract.ts'

/** A message was not delivered within its hour, or was refused for good. */
export const channelFailed = eventType('alert_channel.failed', 'partner', {
  channelId: id(),
  name: z.string(),
  /** Of the message, as it was given when it was queued. */
  key: z.string(),
  groupKey: z.string(),
  error: z.string(),
})
