import { can, get, id, moment, page, pageOf, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** One request to the endpoint and its answer. */
export const Attempt = z.object({
  at: time(),
  /** Null without an answer. */
  status: z.number().nullable(),
  durationMs: z.number(),
  error: z.string().nullable(),
  /** The beginning of the answer. */
  body: z.string().nullable(),
})
export type Attempt = z.infer<typeof Attempt>

/** An event on its way to a webhook. */
export const WebhookDelivery = z.object({
  id: id(),
  /** Also the header `webhook-id`, the same for all attempts. */
  eventId: z.string(),
  eventType: z.string(),
  status: z.enum(['pending', 'delivering', 'succeeded', 'failed']),
  attempts: z.array(Attempt),
  nextAttemptAt: time().nullable(),
  createdAt: time(),
})

export const deliveries = {
  list: get('/webhooks/:id/deliveries', {
    summary: 'List the deliveries of a webhook of the last 30 days, newest first',
    access: can('settings:read'),
    input: z.object({
      id: id(),
      status: z.enum(['pending', 'delivering', 'succeeded', 'failed']).optional(),
      eventType: z.string().max(100).optional(),
      ...page,
    }),
    output: pageOf(WebhookDelivery),
  }),
  retry: post('/webhooks/:id/retry/:deliveryId', {
    summary: 'Retry a delivery that has ended, with the same webhook-id',
    access: can('settings:write'),
    audit: 'webhook.retry',
    input: z.object({ id: id(), deliveryId: id() }),
    output: WebhookDelivery,
  }),
  replay: post('/webhooks/:id/replay', {
    summary: 'Replay the deliveries of a time that have ended',
    access: can('settings:write'),
    audit: 'webhook.replay',
    input: z.object({
      id: id(),
      from: moment(),
      to: moment().optional(),
      status: z.enum(['failed', 'succeeded']).default('failed'),
    }),
    output: z.object({ queued: z.number() }),
  }),
}
