import { can, get, id, page, pageOf, personCan, post, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** A mail in the outbox. Its content is only for the recipient. */
export const OutgoingMail = z.object({
  id: id(),
  partnerId: id().nullable(),
  orgId: id().nullable(),
  toAddress: z.string(),
  template: z.string(),
  status: z.enum(['waiting', 'sent', 'failed']),
  attempts: z.number(),
  lastError: z.string().nullable(),
  nextAttemptAt: time().nullable(),
  sentAt: time().nullable(),
  createdAt: time(),
})

export const mails = {
  list: get('/mail/outbox', {
    summary: 'List pending, sent and failed emails',
    access: can('settings:read', 'system'),
    input: z.object({ status: z.enum(['waiting', 'sent', 'failed']).optional(), ...page }),
    output: pageOf(OutgoingMail),
    transaction: 'own',
  }),
  retry: post('/mail/outbox/:id/retry', {
    summary: 'Retry an email now',
    access: personCan('settings:write', 'system'),
    audit: 'mail.retry',
    input: z.object({ id: id() }),
    output: success,
    transaction: 'own',
  }),
}
